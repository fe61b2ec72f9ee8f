import Foundation
import GRDB
package import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// What is to be sent, what was, and what came in through triggers: a SQLite file of its own, which only its owner can read.
///
/// | table | what it holds |
/// |---|---|
/// | `position` | the sequence up to which the journal's ends of runs became messages, and the epoch it belongs to |
/// | `delivery` | a message: its id, the operation, the run, its status, when it is next tried, and all of it as JSON; indexed by queue, which is the operation and the rule |
/// | `request` | a request to a trigger, as JSON, with what it is known again by |
///
/// The position moves in the same transaction that adds the messages. So an end of a run that was recorded before the server
/// was killed is found again at the next start, and becomes a message once.
package final class DeliveryStore: Sendable {
    private static let format = 1
    /// For how long messages and requests are listed, and for how long a request is known again, in milliseconds.
    static let (listed, known): (Int64, Int64) = (90 * 86_400_000, 400 * 86_400_000)

    /// Lists of messages that pages have asked for, as long as no message is written.
    private struct Kept {
        var edition = 0
        var lists: [String: [DeliveryRecord]] = [:]

        mutating func letGo() { (edition, lists) = (edition &+ 1, [:]) }
    }

    private let file: SQLiteFile
    private let kept = Locked(Kept())

    /// Opens a file, making it where there is none.
    ///
    /// Waits for the disk.
    /// - Parameter path: The file; nil for one in memory.
    /// - Throws: ``Unusable``, with what to do.
    package init(path: String?) throws(Unusable) {
        do {
            file = try SQLiteFile(path: path) { database in
                guard try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= Self.format else {
                    throw CocoaError(.fileReadUnknown)
                }
                try database.execute(sql: Self.schema)
            }
        } catch {
            throw Unusable()
        }
    }

    /// The file cannot be used.
    package struct Unusable: Error, Sendable, CustomStringConvertible {
        /// What is wrong and what to do.
        package var description: String {
            "The file of messages, deliveries.sqlite in the data folder, cannot be opened. Check its owner and the disk; if "
                + "nothing else helps, remove it: messages that wait are then lost."
        }
    }

    /// The queue of a message, in SQL.
    ///
    /// SQLite uses the index of queues only for this very expression.
    private static let queue = "operation || '/' || json_extract(CAST(json AS TEXT), '$.rule')"

    private static let schema = """
        CREATE TABLE IF NOT EXISTS position (
            id INTEGER PRIMARY KEY CHECK (id = 0), epoch TEXT NOT NULL, sequence INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS delivery (
            id TEXT PRIMARY KEY, operation TEXT NOT NULL, run TEXT, status TEXT NOT NULL, next INTEGER NOT NULL,
            at INTEGER NOT NULL, json BLOB NOT NULL
        ) WITHOUT ROWID;
        DROP INDEX IF EXISTS delivery_due;
        CREATE INDEX IF NOT EXISTS delivery_queue ON delivery (\(queue), next, id) WHERE status = 'waiting';
        CREATE INDEX IF NOT EXISTS delivery_of_operation ON delivery (operation, at);
        CREATE INDEX IF NOT EXISTS delivery_of_run ON delivery (run) WHERE run IS NOT NULL;
        CREATE TABLE IF NOT EXISTS request (
            id INTEGER PRIMARY KEY, operation TEXT NOT NULL, trigger TEXT NOT NULL, key TEXT, run TEXT,
            at INTEGER NOT NULL, json BLOB NOT NULL
        );
        CREATE INDEX IF NOT EXISTS request_of_operation ON request (operation, at);
        CREATE UNIQUE INDEX IF NOT EXISTS request_key ON request (trigger, key) WHERE key IS NOT NULL;
        PRAGMA user_version = \(format);
        """

    // MARK: Messages

    /// How far the journal of an epoch was read; nil for another journal than before.
    func position(in epoch: String) async throws -> SequenceNumber? {
        try await file.read { database in
            try Int64.fetchOne(database, sql: "SELECT sequence FROM position WHERE epoch = ?", arguments: [epoch])
                .map { SequenceNumber(clamping: $0) }
        }
    }

    /// Adds messages, and moves the position with them.
    ///
    /// A message of an id that is there stays as it is.
    func advance(to sequence: SequenceNumber, in epoch: String, adding deliveries: [DeliveryRecord]) async throws {
        try await file.write { database in
            for delivery in deliveries { try Self.put(delivery, isNew: true, database) }
            try database.execute(
                sql: "INSERT OR REPLACE INTO position (id, epoch, sequence) VALUES (0, ?, ?)",
                arguments: [epoch, sequence.rawValue])
        }
        if !deliveries.isEmpty { kept.withLock { $0.letGo() } }
    }

    /// Adds messages.
    func add(_ deliveries: [DeliveryRecord]) async throws {
        try await file.write { database in
            for delivery in deliveries { try Self.put(delivery, isNew: true, database) }
        }
        kept.withLock { $0.letGo() }
    }

    /// Keeps how a message stands now.
    func update(_ delivery: DeliveryRecord) async throws {
        try await file.write { try Self.put(delivery, isNew: false, $0) }
        kept.withLock { $0.letGo() }
    }

    /// A waiting message that is the first of its queue.
    struct Head: Sendable {
        let id: String
        let queue: DeliveryQueue
        let nextAt: Int64
        /// The whole message.
        let json: Data
    }

    /// The waiting message of each queue that is due first.
    ///
    /// Reads as many rows as there are queues, however many messages wait in each.
    /// - Parameter excluded: The ids of messages that are left out.
    /// - Returns: The heads, in the order of their queues.
    /// - Throws: `DatabaseError`.
    func heads(except excluded: Set<String>) async throws -> [Head] {
        let marks = excluded.map { _ in "?" }.joined(separator: ", ")
        let sql = """
            WITH RECURSIVE queue(name) AS (
                SELECT * FROM (SELECT \(Self.queue) FROM delivery WHERE status = 'waiting' ORDER BY \(Self.queue) LIMIT 1)
                UNION ALL
                SELECT (
                    SELECT \(Self.queue) FROM delivery WHERE status = 'waiting' AND \(Self.queue) > queue.name
                    ORDER BY \(Self.queue) LIMIT 1
                ) FROM queue WHERE name IS NOT NULL
            )
            SELECT delivery.id, operation, json_extract(CAST(json AS TEXT), '$.rule'), next, json
            FROM queue JOIN delivery ON delivery.id = (
                SELECT id FROM delivery WHERE status = 'waiting' AND \(Self.queue) = queue.name AND id NOT IN (\(marks))
                ORDER BY next, id LIMIT 1
            )
            """
        return try await file.read { database in
            try Row.fetchAll(database, sql: sql, arguments: StatementArguments(excluded)).map { row in
                Head(id: row[0], queue: DeliveryQueue(operation: row[1], rule: row[2]), nextAt: row[3], json: row[4])
            }
        }
    }

    /// The newest messages about an operation.
    package func deliveries(of operation: String, limit: Int) async throws -> [DeliveryRecord] {
        try await keptDeliveries("operation \(operation) \(limit)") {
            try await deliveries("WHERE operation = ? ORDER BY at DESC, id LIMIT ?", [operation, limit])
        }
    }

    /// The messages about a run.
    package func deliveries(ofRun run: String) async throws -> [DeliveryRecord] {
        try await keptDeliveries("run \(run)") {
            try await deliveries("WHERE run = ? ORDER BY at DESC, id LIMIT 100", [run])
        }
    }

    /// A list from memory, where every page of an operation or a run would ask the file for it; else read and kept.
    private func keptDeliveries(
        _ name: String, _ read: () async throws -> [DeliveryRecord]
    ) async throws -> [DeliveryRecord] {
        let (known, edition) = kept.withLock { ($0.lists[name], $0.edition) }
        if let known { return known }
        let found = try await read()
        // Neither what was written to meanwhile nor more than a few megabytes.
        guard found.count <= 20 else { return found }
        kept.withLock { kept in
            guard kept.edition == edition else { return }
            if kept.lists.count >= 256 { kept.lists = [:] }
            kept.lists[name] = found
        }
        return found
    }

    private func deliveries(_ condition: String, _ arguments: StatementArguments) async throws -> [DeliveryRecord] {
        try await file.read { database in
            try Data.fetchAll(database, sql: "SELECT json FROM delivery \(condition)", arguments: arguments)
        }.map { try DeliveryRecord(json: $0) }
    }

    private static func put(_ delivery: DeliveryRecord, isNew: Bool, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR \(isNew ? "IGNORE" : "REPLACE") INTO delivery (id, operation, run, status, next, at, json)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                delivery.id, delivery.facts.operation, delivery.facts.run, delivery.status.rawValue, delivery.nextAt,
                delivery.facts.endedAt, try JSONEncoder().encode(delivery),
            ])
    }

    // MARK: Requests to triggers

    /// The run that a request started before.
    package func run(of trigger: String, key: String) async throws -> String? {
        try await file.read { database in
            try String.fetchOne(
                database, sql: "SELECT run FROM request WHERE trigger = ? AND key = ?", arguments: [trigger, key])
        }
    }

    /// Keeps what came of a request; those that nobody proves are counted in one record for each trigger.
    package func note(_ record: TriggerRecord, key: String?) async throws {
        let operation = record.trigger.split(separator: "/").first.map(String.init) ?? ""
        try await file.write { database in
            var record = record
            if record.outcome == .unproven {
                let before = try Data.fetchOne(
                    database, sql: "SELECT json FROM request WHERE trigger = ? AND key = 'unproven'",
                    arguments: [record.trigger])
                let count = try before.map { try TriggerRecord(json: $0).count } ?? 0
                record = TriggerRecord(
                    trigger: record.trigger, at: record.at, .unproven, detail: record.detail,
                    count: count.addingReportingOverflow(1).partialValue)
            }
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO request (operation, trigger, key, run, at, json) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    operation, record.trigger, record.outcome == .unproven ? "unproven" : key, record.run, record.at,
                    try JSONEncoder().encode(record),
                ])
        }
    }

    /// The newest requests to an operation's triggers.
    package func requests(of operation: String, limit: Int) async throws -> [TriggerRecord] {
        try await file.read { database in
            try Data.fetchAll(
                database, sql: "SELECT json FROM request WHERE operation = ? ORDER BY at DESC, id DESC LIMIT ?",
                arguments: [operation, limit])
        }.map { try TriggerRecord(json: $0) }
    }

    /// Removes what is old and over.
    func tidy(now: Int64) async throws {
        try await file.write { database in
            try database.execute(
                sql: "DELETE FROM delivery WHERE status <> 'waiting' AND at < ?", arguments: [now - Self.listed])
            try database.execute(
                sql: "DELETE FROM request WHERE at < (CASE WHEN key IS NULL THEN ? ELSE ? END)",
                arguments: [now - Self.listed, now - Self.known])
        }
        kept.withLock { $0.letGo() }
    }
}
