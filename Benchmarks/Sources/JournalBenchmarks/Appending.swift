import Foundation
import WeirJournals
import WeirStates

/// Changes per second of the clock, and per second of the processors' time.
struct Rate {
    var clock = 0.0
    var work = 0.0

    mutating func best(_ other: Rate) {
        clock = max(clock, other.clock)
        work = max(work, other.work)
    }
}

/// Records changes, and inserts the same rows into the same tables by plain SQLite, one transaction a batch: one table.
enum Appending {
    private static let batches = 100
    private static let size = 1_000

    static func run() async throws {
        var (journal, plain, bare) = (Rate(), Rate(), Rate())
        var (states, rows) = (Rate(), Rate())
        for round in 1...5 {
            var workload = Workload(runs: .max)
            let drafts = (0..<batches * size).compactMap { _ in workload.next() }
            journal.best(try await withFolder { try await journalRate($0, drafts) })
            plain.best(try await withFolder { try await plainRate($0, drafts, bare: false) })
            bare.best(try await withFolder { try await plainRate($0, drafts, bare: true) })
            let recorded = try await withFolder { try await Visible.rate($0, count: batches * size) }
            states.best(recorded.rate)
            rows.best(try await withFolder { try await plainRate($0, recorded.drafts, bare: false) })
            FileHandle.standardError.write(Data("round \(round) of 5\n".utf8))
        }
        print("The best of five rounds of \(batches * size) changes; in brackets by processor time, of all threads.\n")
        print("| | Weir, changes/s | plain SQLite, rows/s | ratio |\n|---|---|---|---|")
        row("batches of 1,000 appended to the journal, beside the same tables and indices", journal, plain)
        row("the same, beside the table of changes alone, without an index", journal, bare)
        row(
            "operations run, 250 at a time, ten changes each, recorded and told to followers, beside the same rows",
            states, rows)
        print("\n| set → visible to who follows the board | |\n|---|---|")
        print(
            "| one state at a time | \(summary(try await withFolder { try await Visible.quiet($0, count: 20_000) })) |")
        for rate in [1_000, 5_000] {
            let times = try await withFolder { try await Visible.busy($0, rate: rate, seconds: 10) }
            print("| \(rate) states a second | \(summary(times)) |")
        }
        print("| appended directly, one change at a time | \(summary(try await withFolder(latencies))) |")
    }

    private static func row(_ name: String, _ weir: Rate, _ plain: Rate) {
        func text(_ rate: Rate) -> String { "\(Int(rate.clock)) (\(Int(rate.work)))" }
        let ratio = "\(percent(weir.clock / plain.clock)) (\(percent(weir.work / plain.work)))"
        print("| \(name) | \(text(weir)) | \(text(plain)) | \(ratio) |")
    }

    private static func journalRate(_ folder: URL, _ drafts: [ChangeDraft]) async throws -> Rate {
        let journal = try await open(folder)
        let rate = try await rate(drafts) { _ = try await journal.append(Array($0)) }
        await journal.close()
        return rate
    }

    private static func plainRate(_ folder: URL, _ drafts: [ChangeDraft], bare: Bool) async throws -> Rate {
        await (try open(folder)).close()
        let rows = try drafts.map(PlainRow.init)
        let plain = try PlainSQLite(path: folder.appendingPathComponent("journal.sqlite").path, bare: bare)
        return try await rate(rows) { try plain.insert(Array($0)) }
    }

    private static func rate<Row>(_ rows: [Row], _ insert: (ArraySlice<Row>) async throws -> Void) async throws -> Rate
    {
        var work = 0.0
        let clock = try await timed {
            work = try await worked {
                for start in stride(from: 0, to: rows.count, by: size) {
                    try await insert(rows[start..<min(start + size, rows.count)])
                }
            }
        }
        return Rate(clock: Double(rows.count) / clock, work: Double(rows.count) / work)
    }

    /// One change at a time, as a quiet server appends.
    private static func latencies(_ folder: URL) async throws -> [Double] {
        let journal = try await open(folder)
        var workload = Workload(runs: .max)
        var times: [Double] = []
        for _ in 0..<20_000 {
            let batch = workload.batch(1)
            times.append(try await timed { _ = try await journal.append(batch) } * 1_000)
        }
        await journal.close()
        return times
    }

    static func open(_ folder: URL) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(
            at: folder.appendingPathComponent("journal.sqlite").path, now: Timestamp(milliseconds: 0))
    }
}
