import States

/// Decides, entry by entry, what an import does: the rules every journal shares, without any storage.
package struct ImportFold {
    /// What the fold asks of the journal it imports into.
    package protocol Existing {
        func existingRun(_ id: String) throws -> RunRecord?
        func existingChange(of run: String, revision: Int64) throws -> Change?
        func existingLine(of run: String, number: Int64) throws -> OutputLine?
        func existingLineCount(of run: String) throws -> Int64
    }

    /// What to do with an entry.
    package enum Action {
        case add(ChangeDraft, origin: ChangeOrigin?)
        case addLine(run: String, OutputDraft)
        /// It is here already.
        case nothing
    }

    /// How far a run of the export has been read.
    private struct Reading {
        let isNew: Bool
        let operation: String
        var revision: Int64
        var lines: Int64 = 0
        var hasEnded: Bool

        /// Whether nothing lies between what was read and where the run stands here, but the end of an unfinished import.
        func isAllOf(_ run: RunRecord) -> Bool {
            let wasInterrupted = !hasEnded && run.origin != nil && run.state.phase == .interrupted
            return run.revision == revision + (wasInterrupted ? 1 : 0)
        }
    }

    private var report = ImportReport()
    private var readings: [String: Reading] = [:]
    private var order: [String] = []

    package init() {}

    /// Takes the next entry.
    ///
    /// Throws when it does not follow the ones before it, or differs from what is here.
    package mutating func step(_ entry: ExportedEntry, in journal: some Existing) throws -> Action {
        switch entry {
        case .change(let change): try step(change, in: journal)
        case .output(let run, let line): try step(line, of: run, in: journal)
        }
    }

    private mutating func step(_ change: Change, in journal: some Existing) throws -> Action {
        guard case .run(let id) = change.stream else {
            throw JournalError.noRun(change.stream)
        }
        try change.draft.check(follows: readings[id].map { ($0.revision, $0.operation) })
        if change.revision == 0 {
            let isNew = try journal.existingRun(id) == nil
            readings[id] = Reading(
                isNew: isNew, operation: change.subject, revision: 0, hasEnded: change.state.phase.isEnded)
            order.append(id)
        } else {
            readings[id]?.revision = change.revision
            readings[id]?.hasEnded = change.state.phase.isEnded
        }
        guard readings[id]?.isNew == false else {
            report.changes += 1
            return .add(change.draft, origin: change.origin)
        }
        guard let existing = try journal.existingChange(of: id, revision: change.revision),
            try text(existing.draft).utf8.elementsEqual(text(change.draft).utf8)
        else { throw JournalError.differs(id) }
        return .nothing
    }

    private mutating func step(_ line: OutputLine, of id: String, in journal: some Existing) throws -> Action {
        guard let reading = readings[id], line.number == reading.lines + 1 else {
            throw JournalError.lineOutOfPlace(line, of: id)
        }
        readings[id]?.lines = line.number
        guard !reading.isNew else {
            report.lines += 1
            return .addLine(run: id, line.draft)
        }
        guard let existing = try journal.existingLine(of: id, number: line.number), existing == line,
            existing.text.utf8.elementsEqual(line.text.utf8)
        else { throw JournalError.differs(id) }
        return .nothing
    }

    /// All of a draft as a text, whose bytes can be compared: texts that are equal in Swift may differ in theirs.
    private func text(_ draft: ChangeDraft) throws -> String {
        try ExportFormat.line(Change(sequence: 0, draft: draft)).text()
    }

    /// Ends the import.
    ///
    /// Throws when a run that is here already goes on beyond the export, other than by having been interrupted as an
    /// import.
    package mutating func finish(in journal: some Existing) throws -> ImportReport {
        for id in order {
            guard let reading = readings[id] else { continue }
            if reading.isNew {
                report.imported.append(id)
                if !reading.hasEnded { report.unfinished.append(id) }
            } else {
                guard let existing = try journal.existingRun(id), reading.isAllOf(existing),
                    try journal.existingLineCount(of: id) == reading.lines
                else { throw JournalError.differs(id) }
                report.skipped.append(id)
            }
        }
        return report
    }
}

extension JournalError {
    /// For a stream of an export that is no run.
    static func noRun(_ stream: StreamID) -> JournalError {
        JournalError(.malformed, "Only runs can be imported, and \(stream) is none.")
    }

    /// For a line of output that does not stand behind the one before it.
    static func lineOutOfPlace(_ line: OutputLine, of run: String) -> JournalError {
        JournalError(.outOfOrder, "Line \(line.number) of run \(run) does not follow the lines before it.")
    }

    fileprivate static func differs(_ run: String) -> JournalError {
        JournalError(
            .conflict, "Run \(run) is here already, and is not the same as in the file. Nothing was imported.")
    }
}
