import Foundation
import Testing
import TestSupport
import WeirFlows
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15)))
struct ArtifactTests {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "weir-artifacts-\(UUID().uuidString)")
        var store: ArtifactStore { ArtifactStore(url) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func keep(_ run: String) throws {
            try store.create(0, named: "a.txt", run: run).write(contentsOf: Data("a".utf8))
        }
    }

    private static func state(_ phase: Phase, keeps: Bool) -> StateRecord {
        let payload: JSONValue = keeps ? ["artifacts": [["name": "a.txt", "bytes": 1]]] : [:]
        return StateRecord(caseName: phase.rawValue, payload: payload, phase: phase)
    }

    @Test func `files are removed with their run, and those that an interrupted process left`() async throws {
        let folder = Folder()
        let operation = TestOperation { _, state in state.value = .success(text: "x") }
        let fixture = try await BoardFixture.open(["quick": operation]) { configuration in
            configuration.retention = nil
            configuration.artifacts = folder.store
        }
        let run = try await fixture.board.start("quick", input: [:], actor: "a").run
        await fixture.board.outcome(of: run)
        // The run ended without files; the other one is not in the journal.
        for id in [run, "removed"] { try folder.keep(id) }
        await fixture.board.removeArtifactsOfRemovedRuns()
        #expect(folder.store.runs() == [])
    }

    @Test func `files of a run that is active or keeps them stay`() async throws {
        let folder = Folder()
        let gate = Gate()
        let operation = TestOperation { _, state in
            state.value = .working(step: 1)
            try await gate.pass()
            state.value = .success(text: "x")
        }
        let fixture = try await BoardFixture.open(["slow": operation]) { configuration in
            configuration.retention = nil
            configuration.artifacts = folder.store
        }
        let run = try await fixture.board.start("slow", input: [:], actor: "a").run
        try folder.keep(run)
        await fixture.board.removeArtifactsOfRemovedRuns()
        #expect(folder.store.runs() == [run])
        gate.open()
        await fixture.board.outcome(of: run)
    }

    @Test func `a list of files that is malformed or too long in a reported state is none`() {
        #expect(Artifact.list(in: Self.state(.succeeded, keeps: true).payload) == [Artifact(name: "a.txt", bytes: 1)])
        for payload in [
            ["artifacts": "x"], ["artifacts": [["name": "a"]]], ["artifacts": [["name": 1, "bytes": 1]]],
            ["artifacts": [["name": "a", "bytes": -1]]],
            ["artifacts": .array(Array(repeating: ["name": "a", "bytes": 1], count: 1_001))],
        ] as [JSONValue] {
            #expect(Artifact.list(in: payload) == [])
        }
    }

    @Test func `a link in the store is not opened`() throws {
        let folder = Folder()
        try folder.keep("r1")
        let path = try #require(folder.store.path(of: 0, named: "a.txt", run: "r1"))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
        #expect(folder.store.open(0, named: "a.txt", run: "r1") == nil)
    }
}
