import GRDB

/// Adds entries of an import within one transaction, and rolls back an import.
///
/// `importing` lists the runs of the open import. It is emptied when the import is committed; rows found on opening
/// belong to an interrupted import.
struct RunImport {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Adds the changes before the lines, because lines require their run.
    func add(_ entries: [ImportedEntry], at now: Timestamp) throws {
        let writer = try ChangeWriter(database, importedAt: now)
        let note = try SQLStatement(database, "INSERT INTO importing (stream) VALUES (?)")
        var order: [String] = []
        var lines: [String: [OutputDraft]] = [:]
        for entry in entries {
            switch entry {
            case .change(let draft, let origin):
                let change = try writer.add(draft, origin: origin)
                if draft.opening != nil { try note.run(change.sequence) }
            case .line(let run, let line):
                if lines[run] == nil { order.append(run) }
                lines[run, default: []].append(line)
            }
        }
        try writer.finish()
        for run in order { _ = try OutputTable(database).append(lines[run] ?? [], to: run) }
    }

    func commit() throws { try SQLStatement(database, "DELETE FROM importing").run() }

    /// Hides some of the runs that the import added; returns their number, 0 when none are left.
    func rollBackStep() throws -> Int {
        let streams = try SQLStatement(database, "SELECT stream FROM importing LIMIT ?")
            .all(RunRemoval.runsPerStep) { $0.integer(0) }
        guard !streams.isEmpty else { return 0 }
        let operation = try SQLStatement(database, "SELECT operation FROM runs WHERE opened = ?")
        let operations = Set(try streams.compactMap { try operation.first($0) { $0.integer(0) } })
        try RunRemoval(database).hide(Set(streams))
        for stream in streams { try SQLStatement(database, "DELETE FROM importing WHERE stream = ?").run(stream) }
        try passOver([0] + operations)
        return streams.count
    }

    /// Raises the floors to an unused sequence, so that clients that have read all imported changes detect the gap.
    private func passOver(_ operations: [Int64]) throws {
        let head = try SQLStatement(database, "SELECT head FROM journal").first { try $0.sequence(0).next }
        guard let head else { throw JournalError.damaged("the sequence of the last change") }
        try SQLStatement(database, "UPDATE journal SET head = ?").run(head)
        try FloorTable(database).raise(Dictionary(operations.map { ($0, head) }) { $1 })
    }
}
