import Foundation
import Synchronization
import Testing
import WeirFlows
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct WaitingReportsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-waiting-\(UUID().uuidString)")

    private final class Told: Sendable {
        let said = Mutex<[String]>([])
        let complaints = Mutex<[String]>([])
    }

    /// Keeps a report as a `weir run` that has ended leaves it.
    private func keep(_ run: String, for server: String) throws {
        let header = SpoolHeader(server: server, operation: "backup", run: run, title: nil, input: [:])
        try Spool.make(in: folder, header: header).append([["state": "succeeded", "phase": "succeeded"]])
    }

    private func kept() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".jsonl") }.sorted()
    }

    private func send(_ told: Told = Told()) async throws -> Int {
        try await WaitingReports(
            in: SpoolFolder(folder), clock: VirtualClock(advancing: .onSleep),
            say: { words in told.said.withLock { $0.append(words) } },
            complain: { words in told.complaints.withLock { $0.append(words) } }
        ) { header throws(ClientError) in
            try ServerConnection(.init(server: header.server), environment: [:], profiles: .init())
        }.send()
    }

    @Test func `a server that stays away is given up soon, and all that waits for it is left`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let told = Told()
        let server = try await ScriptedServer { _, _ in .init(status: "503 Service Unavailable") }
        let left = try await server.with { client in
            for run in ["r1", "r2"] { try keep(run, for: client.address.description) }
            return try await send(told)
        }
        #expect(left == 2)
        // The second report is not even tried.
        #expect(server.requests.map(\.path) == Array(repeating: "/streams/reported/backup/r1", count: 4))
        #expect(try kept() == ["r1.jsonl", "r2.jsonl"])
        #expect(told.complaints.withLock { $0.count } == 1)
        #expect(told.said.withLock { $0 }.isEmpty)
    }

    @Test func `one sender works on a folder at a time, and the second says so`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await ScriptedServer { _, _ in .init() }
        try await server.with { client in
            try keep("r1", for: client.address.description)
            let lock = try SpoolFolder(folder).lock()
            let error = await #expect(throws: ClientError.self) { try await send() }
            #expect(error?.exitCode == 75)
            #expect(error?.description.hasPrefix("Another `weir send` is sending the reports in ") == true)
            #expect(try kept() == ["r1.jsonl"])
            try lock.close()
            #expect(try await send() == 0)
        }
        #expect(try kept().isEmpty)
    }

    @Test func `a report that cannot be sent keeps no other back`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let told = Told()
        let server = try await ScriptedServer { _, request in
            request.path.hasSuffix("/r2") ? .refusal("400 Bad Request") : .init()
        }
        let left = try await server.with { client in
            try keep("r1", for: "no address")
            try keep("r2", for: client.address.description)
            try keep("r3", for: client.address.description)
            return try await send(told)
        }
        #expect(left == 2)
        #expect(try kept() == ["r1.jsonl", "r2.jsonl"])
        #expect(told.complaints.withLock { $0.count } == 2)
        #expect(told.said.withLock { $0.map { $0.hasPrefix("Sent r3 to ") } } == [true])
    }

    @Test func `where nothing was ever kept there is nothing to send, and nothing is made`() async throws {
        #expect(try await send() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
