import Foundation
import Synchronization
import Testing
import TestSupport
import WeirFiles
import WeirFlows
import WeirOperations

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct FolderServiceTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")

    private func write(_ name: String, _ text: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private let log = CapturedLog()

    private func service(
        _ take: @escaping @Sendable (OperationFolder) async throws -> Void = { _ in }
    ) throws -> FolderService {
        FolderService(
            try FolderTracker(folder, reserved: [:]),
            ChoiceLists(in: CommandEnvironment(folder: folder, environment: [:], helper: nil)), logger: log.logger,
            take: take)
    }

    @Test func `a file that is new is taken up when a second look finds it the same, and not before`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        let taken = Mutex<[[String]]>([])
        let service = try service { folder in taken.withLock { $0.append(folder.definitions.map(\.id)) } }
        try write("b.yml", "{title: B, command: [ls]}")
        await service.look()
        #expect(taken.withLock { $0 } == [])
        await service.look()
        #expect(taken.withLock { $0 } == [["a", "b"]])
    }

    @Test func `the log says what has changed, and nothing where only the values of choices have`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        let service = try service()
        func said(after change: () throws -> Void) async throws -> [String] {
            let before = log.lines.count
            try change()
            service.readAgain()
            await service.look()
            return log.lines.dropFirst(before).filter { $0.contains("were read from files") }
        }
        #expect(try await said {} == [])
        let notice = "notice Operations were read from files."
        #expect(
            try await said { try write("b.yml", "{title: B, command: [ls]}") }
                == ["\(notice) added=b changed=none mistakes=0 removed=none"])
        #expect(
            try await said { try write("b.yml", "{title: C, command: [ls]}") }
                == ["\(notice) added=none changed=b mistakes=0 removed=none"])
    }

    @Test func `whoever asks for the files to be read again has them in force at the next look, once`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        let taken = Mutex<[[String]]>([])
        let service = try service { folder in taken.withLock { $0.append(folder.definitions.map(\.id)) } }
        try write("b.yml", "{title: B, command: [ls]}")
        service.readAgain()
        await service.look()
        #expect(taken.withLock { $0 } == [["a", "b"]])
        await service.look()
        #expect(taken.withLock { $0.count } == 1)
    }

    @Test func `choices that do not end keep no other waiting`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        for number in 1...3 {
            try write(
                "hang\(number).yml",
                "{title: H, inputs: [{name: a, options: {command: [sleep, \"3600\"]}}], command: [ls]}")
        }
        try write("other.yml", "{title: O, inputs: [{name: a, options: {command: [echo, x]}}], command: [ls]}")
        let choices = ChoiceLists(
            in: CommandEnvironment(
                folder: folder, environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], helper: try CommandHelper()))
        let tracker = try FolderTracker(folder, reserved: [:])
        let known = OneShot<Void>()
        let service = FolderService(tracker, choices, logger: log.logger) { folder in
            let other = try #require(folder.definitions.first { $0.id == "other" })
            if choices.filling(other).fields.first?.kind == .choice(["x"]) { known.send(()) }
        }
        let running = Task { try await service.run() }
        await known.value()
        running.cancel()
        _ = await running.result
        #expect(log.lines.filter { $0.contains("could not be listed") } == [])
    }

    @Test func `files that could not be taken up are tried again at the next look`() async throws {
        struct Refusal: Error {}
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("a.yml", "{title: A, command: [ls]}")
        let times = Mutex(0)
        let service = try service { _ in
            let time = times.withLock { times in
                times += 1
                return times
            }
            if time == 1 { throw Refusal() }
        }
        service.readAgain()
        for _ in 0..<3 { await service.look() }
        #expect(times.withLock { $0 } == 2)
    }
}
