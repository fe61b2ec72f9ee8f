import Foundation
import Testing
import WeirStates

@testable import WeirFiles

/// The files of Examples/operations, run as they are.
@Suite(.timeLimit(.minutes(15)))
struct ExampleTests {
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/operations")

    private func example(_ name: String) throws -> String {
        try String(contentsOf: Self.examples.appending(path: "\(name).yml"), encoding: .utf8)
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        try await body(folder)
    }

    @Test func `a Python program reports its states with values and a progress`() async throws {
        let trial = try await FileTrial.run(try example("count-words"), ["files": 3], folder: Self.examples)
        #expect(trial.names == ["waiting", "running", "reading", "adding", "succeeded"])
        #expect(trial.states.compactMap(\.progress).contains(WorkProgress(3, of: 3)))
        #expect(trial.last == .succeeded(StateDetails(show: "15 words", values: ["file": 3, "words": 15])))
    }

    @Test func `a deployment goes live, and back by itself when it is not healthy`() async throws {
        try await withFolder { folder in
            let manager = FileManager.default
            for release in ["1", "2"] {
                try manager.createDirectory(
                    at: folder.appending(path: "releases/\(release)"), withIntermediateDirectories: true)
            }
            let current = folder.appending(path: "current").path
            func deploy(_ release: String, check: String) async throws -> FileTrial {
                try await FileTrial.run(
                    try example("deploy"), ["release": .string(release), "check": .string(check), "pause": 0],
                    folder: folder)
            }
            let first = try await deploy("1", check: "true")
            #expect(first.names == ["waiting", "running", "switching", "checking", "succeeded"])
            #expect(try manager.destinationOfSymbolicLink(atPath: current) == "releases/1")
            let second = try await deploy("2", check: "false")
            #expect(second.names == ["waiting", "running", "switching", "checking", "rolling-back", "failed"])
            #expect(try manager.destinationOfSymbolicLink(atPath: current) == "releases/1")
            let missing = try await deploy("3", check: "true")
            #expect(missing.lines == ["stderr: There is no release 3."])
        }
    }

    @Test func `a clean-up lists old files, and removes them only if it is told to`() async throws {
        try await withFolder { folder in
            let cache = folder.appending(path: "cache")
            try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
            let file = cache.appending(path: "old.txt")
            try Data("x".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -90 * 86_400)], ofItemAtPath: file.path)
            let listed = try await FileTrial.run(try example("disk-clean-up"), ["folder": "cache"], folder: folder)
            #expect(listed.lines == ["./cache/old.txt"] && listed.names.contains("found"))
            #expect(FileManager.default.fileExists(atPath: file.path))
            _ = try await FileTrial.run(
                try example("disk-clean-up"), ["folder": "cache", "remove": true], folder: folder)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync")))
    func `a mirror shows how far rsync has come`() async throws {
        try await withFolder { folder in
            let source = folder.appending(path: "data")
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            try Data(count: 3_000_000).write(to: source.appending(path: "big"))
            let trial = try await FileTrial.run(try example("mirror"), folder: folder)
            #expect(trial.names == ["waiting", "running", "copying", "succeeded"])
            #expect(trial.states.compactMap(\.progress).last == WorkProgress(100, of: 100, unit: .percent))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "mirror/big").path))
        }
    }
}
