import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Follows the cursor of the API through lists while a board on a file records starts, ends and deletions.
@Suite(.timeLimit(.minutes(15)))
struct RunPagesTests {
    /// Starts, ends and deletes runs, one at a time.
    private actor Others {
        private let server: TestServer
        private var generator: SeededGenerator
        private var active: [String] = []
        private var ended: [String] = []
        private var ending: [String]

        /// Creates the others; the runs in `ending` end, and are not deleted.
        init(_ server: TestServer, seed: UInt64, ending: [String]) {
            self.server = server
            generator = SeededGenerator(seed: seed)
            self.ending = ending
        }

        func act() async throws {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                active.append(try await server.board.start("steps", input: RunPagesTests.input("x"), actor: "test").run)
            case 1 where !active.isEmpty:
                let run = active.removeFirst()
                _ = try await server.board.cancel(run, actor: "test")
                await server.board.outcome(of: run)
                ended.append(run)
            case 2 where !ended.isEmpty: _ = try await server.board.delete(ended.removeFirst(), actor: "test")
            default:
                guard let run = ending.popLast() else { return }
                _ = try await server.board.cancel(run, actor: "test")
            }
        }
    }

    private static func input(_ label: String) -> JSONValue { ["label": .string(label), "last": 3] }

    /// The ids on all pages of a list; during each request, others act once.
    private func walk(_ server: TestServer, _ query: String, _ others: Others) async throws -> [String] {
        var (found, beyond): ([String], String?) = ([], nil)
        repeat {
            async let change: Void = others.act()
            let page = try await server.ask(
                "GET", "/api/v1/runs?\(query)" + (beyond.map { "&beyond=\($0)" } ?? "")
            ).json()
            try await change
            found += page["runs"]?.array?.compactMap { $0["id"]?.string } ?? []
            beyond = page["beyond"]?.string
        } while beyond != nil && found.count < 1_000
        return found
    }

    // K2, K13
    @Test(arguments: [1, 2] as [UInt64])
    func `the cursor leads once to each run that stays, while others begin, end and are deleted`(seed: UInt64)
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let journal = try await SQLiteJournal.open(
            at: folder.appending(path: "journal.sqlite").path, now: { Timestamp(milliseconds: 1) })
        try await TestServer.run(journal: journal) { server in
            var (staying, active): (Set<String>, [String]) = ([], [])
            for number in 0..<12 {
                let run = try await server.board.start("steps", input: Self.input("stays"), actor: "test").run
                staying.insert(run)
                guard number % 3 == 0 else {
                    active.append(run)
                    continue
                }
                _ = try await server.board.cancel(run, actor: "test")
                await server.board.outcome(of: run)
            }
            let others = Others(server, seed: seed, ending: active)
            for sort in ["duration", "-duration", "phase", "-phase", "started", "-started", ""] {
                for (limit, filter) in [(1, "text=stays"), (3, ""), (2, "operation=steps&actor=test")] {
                    let found = try await walk(server, "limit=\(limit)&sort=\(sort)&\(filter)", others)
                    #expect(Set(found).count == found.count, "\(sort) \(filter)")
                    #expect(staying.isSubset(of: found), "\(sort) \(filter)")
                    if filter.hasPrefix("text") { #expect(found.count == staying.count, "\(sort)") }
                }
            }
        }
    }
}
