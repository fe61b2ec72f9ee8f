import Foundation
import Journals
import JournalsSQLite
import States

/// Records batches of 1,000 changes, and inserts the same rows into the same tables by plain SQLite.
enum Appending {
    private static let batches = 100
    private static let size = 1_000

    /// Changes per second of the clock, and per second of the processors' time.
    private struct Rate {
        var clock = 0.0
        var work = 0.0

        mutating func best(_ other: Rate) {
            clock = max(clock, other.clock)
            work = max(work, other.work)
        }

        var text: String { "\(Int(clock)) (\(Int(work)))" }
    }

    static func run() async throws {
        var best = (journal: Rate(), plain: Rate(), bare: Rate())
        print("changes recorded per second, and in brackets per second of processor time")
        for round in 1...5 {
            let journal = try await withFolder(journalRate)
            let plain = try await withFolder { try await plainRate($0, bare: false) }
            let bare = try await withFolder { try await plainRate($0, bare: true) }
            best.journal.best(journal)
            best.plain.best(plain)
            best.bare.best(bare)
            print("round \(round): journal \(journal.text), plain SQLite \(plain.text), table alone \(bare.text)")
        }
        compare("the same tables and indices by plain SQLite", best.journal, best.plain)
        compare("the table of changes alone, without index, by plain SQLite", best.journal, best.bare)
        try await withFolder(latencies)
    }

    private static func compare(_ name: String, _ journal: Rate, _ other: Rate) {
        print("journal / \(name): \(percent(journal.clock / other.clock)) (\(percent(journal.work / other.work)))")
    }

    private static func journalRate(_ folder: URL) async throws -> Rate {
        let journal = try await open(folder)
        var workload = Workload(runs: .max)
        let drafts = (0..<batches).map { _ in workload.batch(size) }
        let rate = try await rate { for batch in drafts { _ = try await journal.append(batch) } }
        await journal.close()
        return rate
    }

    private static func plainRate(_ folder: URL, bare: Bool) async throws -> Rate {
        await (try open(folder)).close()
        var workload = Workload(runs: .max)
        let drafts = try (0..<batches).map { _ in try workload.batch(size).map(PlainRow.init) }
        let plain = try PlainSQLite(path: folder.appendingPathComponent("journal.sqlite").path, bare: bare)
        return try await rate { for batch in drafts { try plain.insert(batch) } }
    }

    private static func rate(_ body: () async throws -> Void) async throws -> Rate {
        var work = 0.0
        let clock = try await timed { work = try await worked(body) }
        return Rate(clock: Double(batches * size) / clock, work: Double(batches * size) / work)
    }

    /// One change at a time, as a quiet server appends.
    private static func latencies(_ folder: URL) async throws {
        let journal = try await open(folder)
        var workload = Workload(runs: .max)
        var times: [Double] = []
        for _ in 0..<20_000 {
            let batch = workload.batch(1)
            times.append(try await timed { _ = try await journal.append(batch) } * 1_000)
        }
        await journal.close()
        print("one change at a time: \(summary(times))")
    }

    private static func open(_ folder: URL) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(
            at: folder.appendingPathComponent("journal.sqlite").path, now: Timestamp(milliseconds: 0))
    }
}
