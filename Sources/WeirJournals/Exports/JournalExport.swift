import WeirFlows
import WeirStates

/// Writes runs of a journal as JSON lines, for another journal to import or for a report; see `ExportFormat`.
package struct JournalExport: Sendable {
    private static let runsPerPage = 50

    private let journal: any Journal
    private let created: Timestamp
    private let mayName: (@Sendable (RunRecord) -> Bool)?

    /// Creates an export.
    ///
    /// - Parameters:
    ///   - journal: The journal.
    ///   - created: The time of the export.
    ///   - mayName: Returns whether the reader may know of a run; nil for a reader of everything. The step keys of runs that
    ///     another run started are omitted if the reader may not know of that run.
    package init(
        of journal: any Journal, created: Timestamp, mayName: (@Sendable (RunRecord) -> Bool)? = nil
    ) {
        self.journal = journal
        self.created = created
        self.mayName = mayName
    }

    /// Writes one run up to its latest change, one line per call, without line terminators.
    ///
    /// Throws `JournalError` and the errors of `write`. If the run does not exist, writes nothing and returns nil.
    package func run(_ id: String, write: (String) async throws -> Void) async throws -> ExportSummary? {
        guard let run = try await journal.run(id) else { return nil }
        var summary = try await begin(write)
        try await add(run, to: &summary, write)
        return try await finish(summary, write)
    }

    /// Writes all runs that match a query, oldest first, regardless of its limit and order.
    ///
    /// Passes one line per call to `write`, without line terminators. Throws `JournalError` and the errors of
    /// `write`. Holds a page of runs and changes in memory, never all. Runs that start during the export are omitted.
    package func runs(_ query: RunQuery, write: (String) async throws -> Void) async throws -> ExportSummary {
        let head = try await journal.head()
        var query = query
        query.limit = Self.runsPerPage
        query.isOldestFirst = true
        query.order = .started
        query.beyond = nil
        query.before = min(query.before ?? head.next, head.next)
        var summary = try await begin(write)
        while true {
            let page = try await journal.runs(query)
            for run in page.runs { try await add(run, to: &summary, write) }
            guard let next = page.next else { break }
            query.after = next
        }
        return try await finish(summary, write)
    }

    private func begin(_ write: (String) async throws -> Void) async throws -> ExportSummary {
        try await write(try ExportFormat.header(epoch: journal.epoch, created: created).text())
        return ExportSummary()
    }

    private func finish(
        _ summary: ExportSummary, _ write: (String) async throws -> Void
    ) async throws -> ExportSummary {
        try await write(try ExportFormat.end(summary).text())
        return summary
    }

    private func add(
        _ run: RunRecord, to summary: inout ExportSummary, _ write: (String) async throws -> Void
    ) async throws {
        let changes = try await addChanges(of: run, write)
        // Omits a run that retention has removed in the meantime.
        guard changes > 0 else { return }
        summary.runs += 1
        summary.changes += changes
        summary.lines += try await addOutput(of: run, write)
    }

    private func addChanges(of run: RunRecord, _ write: (String) async throws -> Void) async throws -> Int {
        var count = 0
        var page = ExportPage()
        var last = SequenceNumber.zero
        while last < run.sequence {
            let changes = try await journal.changes(
                of: .run(run.id), after: last, through: run.sequence, limit: page.limit)
            guard let end = changes.last else {
                if count == 0 { return 0 }
                throw Self.removed(run)
            }
            let hidesKey = try await namesHiddenRun(changes)
            for line in try await texts(changes, { ExportFormat.line($0, hidesKey: hidesKey) }) {
                page.add(line)
                try await write(line)
            }
            count += changes.count
            last = end.sequence
        }
        return count
    }

    /// Whether the opening among the changes names a run of steps that the reader may not know of.
    private func namesHiddenRun(_ changes: [Change]) async throws -> Bool {
        guard let mayName, let whole = changes.compactMap({ $0.draft.opening?.wholeRun }).first else {
            return false
        }
        return try await journal.run(whole).map { !mayName($0) } ?? true
    }

    private func addOutput(of run: RunRecord, _ write: (String) async throws -> Void) async throws -> Int {
        let count = try await journal.outputCount(of: run.id)
        var written = 0
        var page = ExportPage()
        var last = SequenceNumber.zero
        while last < count {
            // Lines that are printed during the export are omitted.
            let lines = try await journal.output(of: run.id, after: last, limit: page.limit).prefix {
                $0.number <= count
            }
            guard let end = lines.last else { throw Self.removed(run) }
            for text in try await texts(lines, { ExportFormat.line($0, of: run.id) }) {
                page.add(text)
                try await write(text)
            }
            written += lines.count
            last = end.number
        }
        return written
    }

    /// Encodes entries, which can be large, on the threads of a pool.
    private func texts<Entries: Sequence & Sendable>(
        _ entries: Entries, _ json: @escaping @Sendable (Entries.Element) -> JSONValue
    ) async throws -> [String] where Entries.Element: Sendable {
        try await WorkPool.bulk.run { try entries.map { try json($0).text() } }
    }

    private static func removed(_ run: RunRecord) -> JournalError {
        JournalError(.unavailable, "Run \(run.id) was removed while it was exported. Export again.")
    }
}

/// The page size in changes or lines: about a megabyte, estimated from the largest entry so far.
private struct ExportPage {
    private static let bytes = 1 << 20

    private var largest = 0

    /// Small at first, since entries can be large.
    var limit: Int {
        guard largest > 0 else { return 8 }
        return min(max(1, Self.bytes / largest), 500)
    }

    mutating func add(_ line: String) { largest = max(largest, line.utf8.count) }
}

package struct ExportSummary: Sendable, Hashable {
    package internal(set) var runs = 0
    package internal(set) var changes = 0
    package internal(set) var lines = 0
}
