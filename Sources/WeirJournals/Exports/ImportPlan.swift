import WeirFlows
import WeirStates

/// The additions of an import, determined by a first pass over the whole file before anything is added to the
/// journal.
struct ImportPlan {
    /// The progress within a run of the export.
    private struct Reading {
        /// The run in the journal; nil if it is new.
        let existing: RunRecord?
        /// Whether the run was deleted here and is left out.
        let isLeftOut: Bool
        let operation: String
        var revision: Int64 = 0
        var lines = 0
        var caseName: String
        var hasEnded: Bool
        /// The number of the file's last line about the run.
        var lastLine: Int

        /// Whether the journal has nothing beyond the entries read, except the end added to an unfinished import.
        func isAllOf(_ run: RunRecord) -> Bool {
            let wasInterrupted = !hasEnded && run.origin != nil && run.state.phase == .interrupted
            return run.revision == revision + (wasInterrupted ? 1 : 0)
        }
    }

    private let journal: any Journal
    private let restoresDeleted: Bool
    private var readings: [String: Reading] = [:]
    private var order: [String] = []
    private var report = ImportReport()
    private var stored = StoredRun()

    init(for journal: any Journal, restoringDeleted restoresDeleted: Bool = false) {
        self.journal = journal
        self.restoresDeleted = restoresDeleted
    }

    /// Checks the next entry of the file.
    ///
    /// Throws if it does not follow the previous ones or differs from the journal.
    mutating func read(_ numbered: ExportBatches.Numbered) async throws {
        switch numbered.entry {
        case .change(let change): try await read(change, at: numbered.line, bytes: numbered.bytes)
        case .output(let run, let line): try await read(line, of: run, at: numbered.line)
        }
    }

    private mutating func read(_ change: Change, at number: Int, bytes: Int) async throws {
        guard case .run(let id) = change.stream else { throw JournalError.noRun(change.stream) }
        try change.draft.check(follows: readings[id].map { ($0.revision, $0.operation) })
        if readings[id]?.hasEnded == true { throw JournalError.afterEnd(change, of: id) }
        if change.revision == 0 {
            let existing = try await journal.run(id)
            guard existing != nil || !StreamID.reservedRuns.contains(id) else { throw JournalError.reservedName(id) }
            let isDeleted = try await journal.deletion(of: id) != nil
            readings[id] = Reading(
                existing: existing, isLeftOut: isDeleted && !restoresDeleted, operation: change.subject,
                caseName: change.state.caseName,
                hasEnded: change.state.phase.isEnded, lastLine: number)
            order.append(id)
        } else {
            readings[id]?.revision = change.revision
            readings[id]?.caseName = change.state.caseName
            readings[id]?.hasEnded = change.state.phase.isEnded
            readings[id]?.lastLine = number
        }
        guard readings[id]?.existing != nil else {
            if readings[id]?.isLeftOut == false { report.changes += 1 }
            return
        }
        guard let existing = try await stored.change(change.revision, of: id, in: journal),
            try await isSame(existing.draft, change.draft, bytes: bytes)
        else { throw JournalError.differs(id) }
    }

    /// Whether two drafts are identical in bytes; large ones are compared on the threads of a pool.
    private func isSame(_ first: ChangeDraft, _ second: ChangeDraft, bytes: Int) async throws -> Bool {
        let compare = { @Sendable in try Self.text(first).utf8.elementsEqual(Self.text(second).utf8) }
        return bytes < 65_536 ? try compare() : try await WorkPool.bulk.run(compare)
    }

    private mutating func read(_ line: OutputLine, of id: String, at number: Int) async throws {
        guard let reading = readings[id], line.number == SequenceNumber(clamping: reading.lines).next else {
            throw JournalError.lineOutOfPlace(line, of: id)
        }
        readings[id]?.lines += 1
        readings[id]?.lastLine = number
        guard reading.existing != nil else {
            if !reading.isLeftOut { report.lines += 1 }
            return
        }
        guard let existing = try await stored.line(line.number, of: id, in: journal), existing == line,
            existing.text.utf8.elementsEqual(line.text.utf8)
        else { throw JournalError.differs(id) }
    }

    /// The encoded draft, for a comparison of bytes: texts that are equal in Swift can differ in bytes.
    private static func text(_ draft: ChangeDraft) throws -> String {
        try ExportFormat.line(Change(sequence: 0, draft: draft)).text()
    }

    /// Ends the first pass; returns the report of the import.
    ///
    /// Throws if an existing run continues beyond the export, except with the interruption that an earlier import
    /// added.
    mutating func finish() async throws -> ImportReport {
        for id in order {
            guard let reading = readings[id] else { continue }
            if let existing = reading.existing {
                guard reading.isAllOf(existing),
                    try await journal.outputCount(of: id) == SequenceNumber(clamping: reading.lines)
                else {
                    throw JournalError.differs(id)
                }
                report.skipped.append(id)
            } else if reading.isLeftOut {
                report.deleted.append(id)
            } else {
                report.imported.append(id)
                if !reading.hasEnded { report.unfinished.append(id) }
            }
        }
        return report
    }

    // MARK: Second pass

    /// The entries to add: none for an existing run; after the last entry of an unfinished run, also its
    /// interruption.
    func additions(for numbered: ExportBatches.Numbered, at now: Timestamp) -> [ImportedEntry] {
        guard let id = numbered.entry.run, let reading = readings[id], reading.existing == nil, !reading.isLeftOut
        else { return [] }
        var additions: [ImportedEntry] =
            switch numbered.entry {
            case .change(let change): [.change(change.draft, origin: change.origin)]
            case .output(_, let line): [.line(run: id, line.draft)]
            }
        if !reading.hasEnded, reading.lastLine == numbered.line {
            additions.append(
                .change(
                    .interruption(
                        of: id, operation: reading.operation, after: reading.revision, in: reading.caseName, at: now,
                        cause: .exported), origin: nil))
        }
        return additions
    }
}

/// Reads a run from the journal in file order, in pages.
private struct StoredRun {
    private static let page = 50

    private var run = ""
    private var changes: ArraySlice<Change> = []
    private var lines: ArraySlice<OutputLine> = []
    private var last: [String: Change] = [:]

    mutating func change(_ revision: Int64, of id: String, in journal: any Journal) async throws -> Change? {
        turn(to: id)
        if changes.isEmpty {
            let after = last[id]?.sequence ?? .zero
            changes = try await journal.changes(of: .run(id), after: after, through: nil, limit: Self.page)[...]
        }
        guard let change = changes.popFirst(), change.revision == revision else { return nil }
        last[id] = change
        return change
    }

    mutating func line(_ number: SequenceNumber, of id: String, in journal: any Journal) async throws -> OutputLine? {
        turn(to: id)
        if lines.first?.number != number {
            lines = try await journal.output(of: id, after: number.previous, limit: Self.page)[...]
        }
        return lines.popFirst()
    }

    private mutating func turn(to id: String) {
        guard run != id else { return }
        run = id
        changes = []
        lines = []
    }
}

extension JournalError {
    static func noRun(_ stream: StreamID) -> JournalError {
        JournalError(.malformed, "Only runs can be imported, and \(stream) is not a run.")
    }

    /// The error for a run id that collides with another path.
    static func reservedName(_ run: String) -> JournalError {
        JournalError(
            .malformed,
            "No run can be called “\(run)”, since another page has that address. Export the other runs without it.")
    }

    static func afterEnd(_ change: Change, of run: String) -> JournalError {
        JournalError(.outOfOrder, "Revision \(change.revision) of run \(run) follows its end.")
    }

    static func lineOutOfPlace(_ line: OutputLine, of run: String) -> JournalError {
        JournalError(.outOfOrder, "Line \(line.number) of run \(run) does not follow the lines before it.")
    }

    fileprivate static func differs(_ run: String) -> JournalError {
        JournalError(
            .conflict, "Run \(run) is already here and differs from the one in the file. Nothing was imported.")
    }
}

package enum ImportedEntry: Sendable, Hashable {
    /// A change with its original position, which is nil for an interruption that the import adds.
    case change(ChangeDraft, origin: ChangeOrigin?)
    case line(run: String, OutputDraft)
}
