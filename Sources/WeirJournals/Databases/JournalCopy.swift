/// Copies a whole journal into an empty one, then compares the two change by change.
///
/// Sequences and everything that refers to them are preserved. The copy has its own epoch, since the original could
/// continue. An interrupted copy resumes where it stopped; neither journal may be written in the meantime.
package struct JournalCopy: Sendable {
    package struct Summary: Sendable, Hashable {
        package var changes = 0
        package var lines = 0
        package var runs = 0
    }

    /// The name of the note in an unfinished copy; its text is the epoch of the original.
    package static let note = "journal-copy"

    /// The number of rows copied, or changes compared, per step.
    private static let rowsPerStep = 1_000

    private let source: any CopiedJournal
    private let target: any CopiedJournal

    /// Prepares a copy; no server may use either journal.
    package init(of source: any CopiedJournal, into target: any CopiedJournal) {
        self.source = source
        self.target = target
    }

    /// Copies the missing rows and compares everything; `progress` receives the last sequence copied or compared.
    ///
    /// Throws `JournalError` with code `conflict` if the target holds other data or differs from the source.
    package func run(progress: (_ step: Step, SequenceNumber) -> Void = { _, _ in }) async throws -> Summary {
        try await begin()
        for table in JournalTable.all where table.name != "notes" { try await copy(table, progress) }
        let summary = try await compare(progress)
        try await finish()
        return summary
    }

    package enum Step: Sendable {
        case copying
        case comparing
    }

    // MARK: Copying

    private func begin() async throws {
        guard try await source.note(Self.note) == nil else {
            throw JournalError(.conflict, "The journal to copy is itself a copy that is not finished. Finish it first.")
        }
        if let origin = try await target.note(Self.note) {
            guard origin == source.epoch else {
                throw JournalError(
                    .conflict, "The target holds an unfinished copy of another journal. Give an empty one.")
            }
            return
        }
        guard try await target.head() == .zero else {
            throw JournalError(.conflict, "The target already holds changes. Give an empty one.")
        }
        try await target.setNote(Self.note, source.epoch)
    }

    private func copy(_ table: JournalTable, _ progress: (Step, SequenceNumber) -> Void) async throws {
        var last = try await target.lastKey(of: table)
        while true {
            try Task.checkCancellation()
            let rows = try await source.rows(of: table, after: last, limit: Self.rowsPerStep)
            guard let end = rows.last else { return }
            try await target.add(rows, to: table)
            last = Array(end.prefix(table.keys))
            if table.name == "changes", case .integer(let sequence) = end[0] {
                progress(.copying, SequenceNumber(clamping: sequence))
            }
        }
    }

    private func finish() async throws {
        guard let notes = JournalTable.all.first(where: { $0.name == "notes" }) else { return }
        for row in try await source.rows(of: notes, after: nil, limit: Self.rowsPerStep) {
            guard case .text(let name) = row[0], case .text(let text) = row[1] else { continue }
            try await target.setNote(name, text)
        }
        try await target.finishCopy(head: try await source.head(), note: Self.note)
    }

    // MARK: Comparing

    private func compare(_ progress: (Step, SequenceNumber) -> Void) async throws -> Summary {
        var summary = Summary()
        var last = SequenceNumber.zero
        while true {
            try Task.checkCancellation()
            let changes = try await source.changes(of: .board, after: last, through: nil, limit: Self.rowsPerStep)
            let copies = try await target.changes(of: .board, after: last, through: nil, limit: Self.rowsPerStep)
            guard changes == copies else {
                let place = zip(changes, copies).first { $0 != $1 }?.0.sequence ?? last.next
                throw Self.differs("at change \(place)")
            }
            guard let end = changes.last else { break }
            summary.changes += changes.count
            last = end.sequence
            progress(.comparing, last)
        }
        var query = RunQuery(limit: Self.rowsPerStep)
        query.isOldestFirst = true
        while true {
            let page = try await source.runs(query)
            guard try await target.runs(query) == page else { throw Self.differs("in the list of runs") }
            for run in page.runs { summary.lines += try await compareOutput(of: run.id) }
            summary.runs += page.runs.count
            guard let next = page.next else { break }
            query.after = next
        }
        guard try await source.counts() == target.counts() else { throw Self.differs("in the counts of runs") }
        return summary
    }

    private func compareOutput(of run: String) async throws -> Int {
        let count = try await source.outputCount(of: run)
        guard try await target.outputCount(of: run) == count else { throw Self.differs("in the output of run \(run)") }
        var last = SequenceNumber.zero
        while last < count {
            let lines = try await source.output(of: run, after: last, limit: Self.rowsPerStep)
            let copies = try await target.output(of: run, after: last, limit: Self.rowsPerStep)
            guard let end = lines.last, lines == copies else { throw Self.differs("in the output of run \(run)") }
            last = end.number
        }
        return Int(clamping: count.rawValue)
    }

    private static func differs(_ place: String) -> JournalError {
        JournalError(
            .conflict, "The copy differs from the original \(place). Empty the target and copy again, and report this.")
    }
}
