import Foundation
import GRDB
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// The store of outgoing messages and incoming trigger requests: a SQLite file that only its owner can read.
///
/// | table | contents |
/// |---|---|
/// | `position` | the sequence up to which ends of runs in the journal became messages, and its epoch |
/// | `state` | the `NotificationState` at that position, as JSON |
/// | `delivery` | a message: its id, operation, run, status and next attempt, and all of it as JSON; indexed by queue, which is the operation and the rule |
/// | `condition` | a condition of the server that holds and was reported, as JSON |
/// | `ended_condition` | a condition that has ended, as JSON, for digests |
/// | `request` | a request to a trigger, as JSON, with its deduplication key |
///
/// The position advances in the transaction that adds the messages. So an end of a run recorded before a crash is found at the
/// next start, and becomes exactly one message.
package final class DeliveryStore: Sendable {
    private static let format = 1
    /// How long messages and requests are listed, and how long a repeated request is recognized, in milliseconds.
    static let (listed, known): (Int64, Int64) = (90 * 86_400_000, 400 * 86_400_000)

    /// A cache of message lists for pages, which every write invalidates.
    private struct Kept {
        var edition = 0
        var lists: [String: [DeliveryRecord]] = [:]

        mutating func letGo() { (edition, lists) = (edition &+ 1, [:]) }
    }

    private let file: SQLiteFile
    private let kept = Locked(Kept())

    /// Opens a file, or a database in memory for nil.
    ///
    /// Blocks on the disk.
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

    /// Whether a newer version has written a file that others may be writing; blocks on the disk.
    package static func isNewer(path: String) throws -> Bool {
        try SQLiteSnapshot.read(path) { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 } > format
    }

    package struct Unusable: Error, Sendable, CustomStringConvertible {
        package var description: String {
            "The file of messages, deliveries.sqlite in the data folder, cannot be opened. Check its owner and the disk; if "
                + "nothing else helps, remove it: messages that wait are then lost."
        }
    }

    /// The queue of a message, as SQL; SQLite uses the index of queues only for exactly this expression.
    private static let queue = "operation || '/' || json_extract(CAST(json AS TEXT), '$.rule')"

    private static let schema = """
        CREATE TABLE IF NOT EXISTS position (
            id INTEGER PRIMARY KEY CHECK (id = 0), epoch TEXT NOT NULL, sequence INTEGER NOT NULL
        );
        CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 0), json BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS delivery (
            id TEXT PRIMARY KEY, operation TEXT NOT NULL, run TEXT, status TEXT NOT NULL, next INTEGER NOT NULL,
            at INTEGER NOT NULL, json BLOB NOT NULL
        ) WITHOUT ROWID;
        DROP INDEX IF EXISTS delivery_due;
        CREATE INDEX IF NOT EXISTS delivery_queue ON delivery (\(queue), next, id) WHERE status = 'waiting';
        CREATE INDEX IF NOT EXISTS delivery_of_operation ON delivery (operation, at);
        CREATE INDEX IF NOT EXISTS delivery_of_run ON delivery (run) WHERE run IS NOT NULL;
        CREATE TABLE IF NOT EXISTS condition (
            kind TEXT NOT NULL, subject TEXT NOT NULL, json BLOB NOT NULL, PRIMARY KEY (kind, subject)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS ended_condition (at INTEGER NOT NULL, json BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS ended_condition_at ON ended_condition (at);
        CREATE TABLE IF NOT EXISTS request (
            id INTEGER PRIMARY KEY, operation TEXT NOT NULL, trigger TEXT NOT NULL, key TEXT, run TEXT,
            at INTEGER NOT NULL, json BLOB NOT NULL
        );
        CREATE INDEX IF NOT EXISTS request_of_operation ON request (operation, at);
        CREATE UNIQUE INDEX IF NOT EXISTS request_key ON request (trigger, key) WHERE key IS NOT NULL;
        PRAGMA user_version = \(format);
        """

    // MARK: Messages

    /// The position in the journal of an epoch, or nil for a different journal.
    func position(in epoch: String) async throws -> SequenceNumber? {
        try await file.read { database in
            try Int64.fetchOne(database, sql: "SELECT sequence FROM position WHERE epoch = ?", arguments: [epoch])
                .map { SequenceNumber(clamping: $0) }
        }
    }

    /// The state at the position, or an empty one.
    func state() async throws -> NotificationState {
        try await file.read { database in
            guard let json = try Data.fetchOne(database, sql: "SELECT json FROM state") else {
                return NotificationState()
            }
            return try NotificationState(json: json)
        }
    }

    /// Adds messages and advances the position in one transaction; existing messages with the same id stay unchanged.
    func advance(
        to sequence: SequenceNumber, in epoch: String, adding deliveries: [DeliveryRecord],
        state: NotificationState = NotificationState()
    ) async throws {
        let json = try JSONEncoder().encode(state)
        try await file.write { database in
            for delivery in deliveries { try Self.put(delivery, isNew: true, database) }
            try database.execute(
                sql: "INSERT OR REPLACE INTO position (id, epoch, sequence) VALUES (0, ?, ?)",
                arguments: [epoch, sequence.rawValue])
            try database.execute(sql: "INSERT OR REPLACE INTO state (id, json) VALUES (0, ?)", arguments: [json])
        }
        if !deliveries.isEmpty { kept.withLock { $0.letGo() } }
    }

    func add(_ deliveries: [DeliveryRecord]) async throws {
        try await file.write { database in
            for delivery in deliveries { try Self.put(delivery, isNew: true, database) }
        }
        kept.withLock { $0.letGo() }
    }

    /// Changes the conditions that hold and adds the messages about that, in one transaction; returns the conditions, and
    /// whether there are messages.
    func changeConditions(
        at now: Timestamp,
        _ change: @escaping @Sendable ([ServerCondition]) -> (conditions: [ServerCondition], messages: [DeliveryRecord])
    ) async throws -> (conditions: [ServerCondition], hasMessages: Bool) {
        let (conditions, hasMessages): ([ServerCondition], Bool) = try await file.write { database in
            let known = try Self.conditions(database)
            let (conditions, messages) = change(known)
            guard conditions != known else { return (known, false) }
            for var condition in known where !conditions.contains(where: condition.isContinued) {
                condition.isOver = true
                try database.execute(
                    sql: "INSERT INTO ended_condition (at, json) VALUES (?, ?)",
                    arguments: [now.milliseconds, try JSONEncoder().encode(condition)])
            }
            try database.execute(sql: "DELETE FROM condition")
            for condition in conditions {
                try database.execute(
                    sql: "INSERT INTO condition (kind, subject, json) VALUES (?, ?, ?)",
                    arguments: [condition.kind.rawValue, condition.subject, try JSONEncoder().encode(condition)])
            }
            for message in messages { try Self.put(message, isNew: true, database) }
            return (conditions, !messages.isEmpty)
        }
        if hasMessages { kept.withLock { $0.letGo() } }
        return (conditions, hasMessages)
    }

    /// The conditions that hold, as last stored.
    func conditions() async throws -> [ServerCondition] { try await file.read(Self.conditions) }

    private static func conditions(_ database: Database) throws -> [ServerCondition] {
        try Data.fetchAll(database, sql: "SELECT json FROM condition ORDER BY kind, subject").map {
            try ServerCondition(json: $0)
        }
    }

    /// The conditions that ended since a moment, at most the newest fifty, oldest first.
    func endedConditions(since moment: Timestamp) async throws -> [ServerCondition] {
        try await file.read { database in
            try Data.fetchAll(
                database, sql: "SELECT json FROM ended_condition WHERE at >= ? ORDER BY at DESC, rowid DESC LIMIT 50",
                arguments: [moment.milliseconds])
        }.reversed().map { try ServerCondition(json: $0) }
    }

    func update(_ delivery: DeliveryRecord) async throws {
        try await file.write { try Self.put(delivery, isNew: false, $0) }
        kept.withLock { $0.letGo() }
    }

    /// Whether a later message of the same rule about the same problem was delivered.
    ///
    /// Messages about runs are in the order of the journal, in which a report can arrive late: one that is later there is
    /// found up to a day before its time. A cancelled run neither ends nor renews the problem of a failed one.
    func isOvertaken(_ delivery: DeliveryRecord) async throws -> Bool {
        let facts = delivery.facts
        return try await file.read { database in
            let later = try Data.fetchCursor(
                database,
                sql: """
                    SELECT json FROM delivery
                    WHERE operation = :operation AND at > :dayBefore AND status = 'delivered'
                        AND json_extract(CAST(json AS TEXT), '$.rule') = :rule
                        AND json_extract(CAST(json AS TEXT), '$.facts.event') IS NOT 'cancelled'
                        AND coalesce(json_extract(CAST(json AS TEXT), '$.sequence') > :sequence, at > :at)
                    """,
                arguments: [
                    "operation": facts.operation, "rule": delivery.rule, "sequence": delivery.sequence?.rawValue,
                    "at": facts.endedAt,
                    "dayBefore": facts.endedAt.subtractingReportingOverflow(86_400_000).partialValue,
                ])
            while let json = try later.next() {
                if try DeliveryRecord(json: json).facts.problem == facts.problem { return true }
            }
            return false
        }
    }

    /// Marks all waiting messages as failed, with a reason.
    func discardWaiting(_ reason: String) async throws {
        try await file.write { database in
            for json in try Data.fetchAll(database, sql: "SELECT json FROM delivery WHERE status = 'waiting'") {
                var delivery = try DeliveryRecord(json: json)
                delivery.status = .failed
                delivery.detail = reason
                try Self.put(delivery, isNew: false, database)
            }
        }
        kept.withLock { $0.letGo() }
    }

    /// The first waiting message of a queue.
    struct Head: Sendable {
        let id: String
        let queue: DeliveryQueue
        let nextAt: Int64
        let json: Data
    }

    /// Returns the waiting message of each queue that is due first, sorted by queue, except messages with the given ids.
    ///
    /// Reads one row per queue, however many messages it has.
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

    func waitingCount() async throws -> Int {
        try await file.read { database in
            // Uses the index of queues, which contains waiting messages only.
            try Int.fetchOne(database, sql: "SELECT count(*) FROM delivery WHERE status = 'waiting'") ?? 0
        }
    }

    func deliveries(of operation: String, limit: Int) async throws -> [DeliveryRecord] {
        try await keptDeliveries("operation \(operation) \(limit)") {
            try await deliveries("WHERE operation = ? ORDER BY at DESC, id LIMIT ?", [operation, limit])
        }
    }

    func deliveries(ofRun run: String) async throws -> [DeliveryRecord] {
        try await keptDeliveries("run \(run)") {
            try await deliveries("WHERE run = ? ORDER BY at DESC, id LIMIT 100", [run])
        }
    }

    private func keptDeliveries(
        _ name: String, _ read: () async throws -> [DeliveryRecord]
    ) async throws -> [DeliveryRecord] {
        let (known, edition) = kept.withLock { ($0.lists[name], $0.edition) }
        if let known { return known }
        let found = try await read()
        // Does not cache a list that has changed since, and bounds the memory of the cache.
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

    /// Adds a message unless it exists, or changes it unless it was removed.
    private static func put(_ delivery: DeliveryRecord, isNew: Bool, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR \(isNew ? "IGNORE" : "REPLACE") INTO delivery (id, operation, run, status, next, at, json)
                SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 \(isNew ? "" : "WHERE EXISTS (SELECT 1 FROM delivery WHERE id = ?1)")
                """,
            arguments: [
                delivery.id, delivery.facts.operation, delivery.facts.run, delivery.status.rawValue, delivery.nextAt,
                delivery.facts.endedAt, Data(try JSONValue(encoding: delivery).text().utf8),
            ])
    }

    // MARK: Requests to triggers

    /// The run that an earlier request with the same key started.
    func run(of trigger: String, key: String) async throws -> String? {
        try await file.read { database in
            try String.fetchOne(
                database, sql: "SELECT run FROM request WHERE trigger = ? AND key = ?", arguments: [trigger, key])
        }
    }

    /// Stores the outcome of a request; those without a valid proof share one record per trigger, which counts them.
    func note(_ record: TriggerRecord, key: String?) async throws {
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

    func requests(of operation: String, limit: Int) async throws -> [TriggerRecord] {
        try await file.read { database in
            try Data.fetchAll(
                database, sql: "SELECT json FROM request WHERE operation = ? ORDER BY at DESC, id DESC LIMIT ?",
                arguments: [operation, limit])
        }.map { try TriggerRecord(json: $0) }
    }

    /// The runs that messages are about.
    func runs() async throws -> Set<String> {
        try await file.read { try String.fetchSet($0, sql: "SELECT DISTINCT run FROM delivery WHERE run IS NOT NULL") }
    }

    /// Removes the messages about deleted runs, also those that wait to be sent.
    ///
    /// Requests of triggers stay: they contain nothing of the run, and their keys prevent another start.
    func forget(_ runs: [String]) async throws {
        try await file.write { database in
            for run in runs { try database.execute(sql: "DELETE FROM delivery WHERE run = ?", arguments: [run]) }
        }
        kept.withLock { $0.letGo() }
    }

    func tidy(now: Int64) async throws {
        try await file.write { database in
            try database.execute(
                sql: "DELETE FROM delivery WHERE status <> 'waiting' AND at < ?", arguments: [now - Self.listed])
            try database.execute(
                sql: "DELETE FROM ended_condition WHERE at < ?", arguments: [now - Self.listed])
            try database.execute(
                sql: "DELETE FROM request WHERE at < (CASE WHEN key IS NULL THEN ? ELSE ? END)",
                arguments: [now - Self.listed, now - Self.known])
        }
        kept.withLock { $0.letGo() }
    }
}

extension ServerCondition {
    /// Whether another value is a later one of the same condition.
    fileprivate func isContinued(_ other: ServerCondition) -> Bool {
        (kind, subject, since) == (other.kind, other.subject, other.since)
    }
}
