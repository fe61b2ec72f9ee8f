import Foundation
import WeirJournals
import WeirStates

/// Asks a large journal what its pages ask.
enum Querying {
    static func run(path: String) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        let head = try await journal.head()
        let total = try await journal.counts().reduce(0) { $0 + $1.count }
        print("\(total) runs, \(head) changes")
        let newest = try await journal.runs(RunQuery(limit: 1)).runs.first?.startedAt.milliseconds ?? 0
        let span = Double(newest - 1_700_000_000_000)
        func moment(_ part: Double) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + Int64(span * part)) }

        for (name, make) in queries(head, moment) {
            var (times, works): ([Double], [Double]) = ([], [])
            var found = 0
            for round in 0..<200 {
                let query = make(round)
                times.append(
                    try await timed {
                        works.append(
                            try await worked { found = try await journal.runs(query).runs.count } * 1_000)
                    } * 1_000)
            }
            print("\(name): \(summary(times)); of the processor \(summary(works)) (\(found) found)")
        }
        try await others(journal, head)
        await journal.close()
    }

    /// The place that far on the way from 0 to another.
    private static func place(of head: SequenceNumber, _ part: Double) -> SequenceNumber {
        SequenceNumber(clamping: Int64(Double(head.rawValue) * part))
    }

    private static func queries(
        _ head: SequenceNumber, _ moment: @escaping (Double) -> Timestamp
    ) -> [(String, (Int) -> RunQuery)] {
        func part(_ round: Int) -> Double { Double(round * 37 % 200) / 200 }
        func before(_ round: Int) -> SequenceNumber { place(of: head, part(round)).next }
        return [
            ("newest", { _ in RunQuery() }),
            ("any page", { RunQuery(before: before($0)) }),
            ("operation", { RunQuery(operation: Workload.operation($0), before: before($0)) }),
            ("phase", { _ in RunQuery(phase: .failed) }),
            ("phase without runs", { _ in RunQuery(phase: .interrupted) }),
            ("actor", { RunQuery(actor: "actor-\($0 % 50)") }),
            (
                "operation, phase, actor",
                {
                    RunQuery(operation: "operation-1", phase: .cancelled, actor: "actor-\($0 % 50)", before: before($0))
                }
            ),
            ("an hour", { RunQuery(startedAfter: moment(part($0)), startedBefore: moment(part($0) + 0.05)) }),
            ("the oldest half, actor", { RunQuery(actor: "actor-\($0 % 50)", startedBefore: moment(0.5)) }),
            (
                "all filters and a word",
                {
                    RunQuery(
                        operation: "operation-0", phase: .failed, actor: "actor-\($0 % 50)", text: "refused",
                        startedAfter: moment(0.2), startedBefore: moment(0.8))
                }
            ),
            ("a common word", { _ in RunQuery(text: "refused") }),
            ("a word of all", { _ in RunQuery(text: "https") }),
            ("a rare word", { RunQuery(text: "\($0 * 4_999)") }),
            ("a word of none", { _ in RunQuery(text: "nowhere") }),
            ("two words never together", { _ in RunQuery(text: "refused hello") }),
            ("a phrase", { RunQuery(text: "swift.org/items/\($0 * 2 + 1)") }),
            ("a beginning of all", { _ in RunQuery(text: "htt*") }),
            ("a longer beginning of all", { _ in RunQuery(text: "https*") }),
            ("a beginning of many", { RunQuery(text: "\($0 % 90 + 10)*") }),
            ("a common word, a phase", { _ in RunQuery(phase: .failed, text: "hello") }),
        ]
    }

    private static func others(_ journal: SQLiteJournal, _ head: SequenceNumber) async throws {
        func measure(_ name: String, _ body: (Int) async throws -> Void) async throws {
            var times: [Double] = []
            for round in 0..<200 { times.append(try await timed { try await body(round) } * 1_000) }
            print("\(name): \(summary(times))")
        }
        try await measure("counts") { _ in _ = try await journal.counts() }
        try await measure("unfinished runs") { _ in _ = try await journal.unfinishedRuns() }
        try await measure("a run") { _ = try await journal.run(Workload.id($0 * 4_999)) }
        try await measure("a run's changes") {
            _ = try await journal.changes(of: .run(Workload.id($0 * 4_999)), after: 0, through: nil, limit: 500)
        }
        try await measure("an operation's state then") {
            _ = try await journal.lastChange(of: .operation("operation-1"), through: place(of: head, Double($0) / 200))
        }
        try await measure("500 changes of the board") {
            _ = try await journal.changes(
                of: .board, after: place(of: head, Double($0) / 201), through: nil, limit: 500)
        }
    }
}
