import GRDB

/// Removes the oldest changes of stores from the journal, in steps that are each one short transaction.
struct StoreRemoval {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Removes some of the changes that the policy removes; returns false when there are no more.
    func sweep(_ policy: RetentionPolicy) throws -> Bool {
        guard let limit = policy.maximumChangesPerStore else { return false }
        let store = try SQLStatement(
            database, "SELECT opened, revision + 1 - removed FROM stores WHERE revision + 1 - removed > ? LIMIT 1"
        ).first(max(1, limit)) { (opened: $0.integer(0), kept: $0.integer(1)) }
        guard let store else { return false }
        let count = min(store.kept - Int64(max(1, limit)), Int64(RunRemoval.rowsPerStep))
        let floor = try SQLStatement(
            database, "SELECT sequence FROM changes WHERE stream = ? ORDER BY sequence LIMIT 1 OFFSET ?"
        ).first(store.opened, count - 1) { try $0.sequence(0) }
        guard let floor else { throw JournalError.damaged("the count of a store's changes") }
        try SQLStatement(database, "DELETE FROM changes WHERE stream = ? AND sequence <= ?").run(store.opened, floor)
        try SQLStatement(database, "UPDATE stores SET removed = removed + ?, floor = ? WHERE opened = ?")
            .run(count, floor, store.opened)
        try FloorTable(database).raise([0: floor])
        return true
    }
}
