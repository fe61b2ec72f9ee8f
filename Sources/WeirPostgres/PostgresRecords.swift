import Foundation
package import WeirAccess
import WeirJournals

/// JSON records in the database of a journal, which all its servers read and write; see `PostgresRecordTables`.
final class PostgresRecords: Sendable {
    struct Record: Hashable, Sendable {
        let kind: String
        let id: String
        /// The JSON; nil for a removed record.
        let json: String?
        /// Whether the record is written only if it exists.
        let isUpdate: Bool

        /// Creates a record, or with nil its removal.
        init(kind: String, id: String, json: String?, isUpdate: Bool = false) {
            (self.kind, self.id, self.json, self.isUpdate) = (kind, id, json, isUpdate)
        }
    }

    /// The writes after a given one.
    struct News: Sendable {
        /// The number of the newest write.
        let number: Int64
        /// Whether these are all records, not only changed ones.
        let isWhole: Bool
        /// The changed records; removed ones have no JSON.
        let records: [Record]
    }

    private enum Connection: Sendable {
        case journal(PostgresJournal)
        /// A separate connection.
        case own(PostgresWorker)
    }

    private let connection: Connection

    /// Uses the connections of a journal, which must stay open.
    init(of journal: PostgresJournal) { connection = .journal(journal) }

    private init(_ worker: PostgresWorker) { connection = .own(worker) }

    /// Opens a database on a separate connection, concurrently with its servers, creating its tables if necessary.
    ///
    /// Throws `JournalError`.
    static func open(_ url: String, timeout: Duration = .seconds(30)) async throws -> PostgresRecords {
        let opening = PostgresOpening(
            address: try PostgresAddress(url), configuration: .init(timeout: timeout),
            makeEpoch: { JournalEpoch.make() }, now: { Timestamp(Date()) })
        return PostgresRecords(try await opening.openWorker())
    }

    /// Closes a separate connection; those of a journal stay open.
    func close() async {
        if case .own(let worker) = connection { await worker.close() }
    }

    /// The writes after the one with a number, or all records for nil; returns nil if there are none.
    ///
    /// It also returns all records if there were too many writes since. Throws `JournalError`.
    func news(after known: Int64?) async throws -> News? {
        try await read { connection in
            let newest = try connection.first("SELECT number FROM weir.access") { $0.integer(0) }
            guard let newest else { throw JournalError.damaged("no row of access") }
            if newest == known { return nil }
            // A higher number originates from before the database was restored.
            let since = known.flatMap { newest >= $0 && newest - $0 < PostgresRecordTables.memory ? $0 : nil }
            var (number, records) = (newest, [Record]())
            try connection.rows(
                """
                SELECT a.number, r.kind, r.id, r.json FROM weir.access a
                LEFT JOIN weir.access_records r ON r.number > $1 AND (r.json IS NOT NULL OR $2)
                """, [since ?? -1, since != nil]
            ) { row in
                number = row.integer(0)
                guard !row.isNull(1) else { return }
                records.append(
                    Record(kind: row.text(1), id: row.text(2), json: row.isNull(3) ? nil : row.text(3)))
            }
            return News(number: number, isWhole: since == nil, records: records)
        }
    }

    /// Writes records, all or none, if the newest write has the given number.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - known: The number of the newest write that the caller has read.
    /// - Returns: The number of this write; nil if there was a newer one.
    /// - Throws: `JournalError`.
    func write(_ records: [Record], after known: Int64) async throws -> Int64? {
        let call = JournalEpoch.make()
        return try await write { connection in
            try connection.first(
                "SELECT weir.write_access($1, $2, $3, $4, $5, $6)",
                [
                    known, call, records.map(\.kind), records.map { AnyText($0.id) }, records.map { AnyText($0.json) },
                    records.map(\.isUpdate),
                ]
            ) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
        }
    }

    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        switch connection {
        case .journal(let journal): try await journal.read(body)
        case .own(let worker): try await worker.run(body)
        }
    }

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        switch connection {
        case .journal(let journal): try await journal.writer.run(body)
        case .own(let worker): try await worker.run(body)
        }
    }
}

/// Users, tokens, links, sessions and saved views in the journal's PostgreSQL database, shared by all its servers.
///
/// All servers write, including following ones; each reads only what others have changed.
package final class PostgresAccessStorage: AccessStorage {
    private let records: PostgresRecords

    /// Uses the connections of a journal, which must stay open.
    package init(of journal: PostgresJournal) { records = PostgresRecords(of: journal) }

    private init(_ records: PostgresRecords) { self.records = records }

    /// Opens a database for a short-lived command, concurrently with its servers.
    ///
    /// Throws `AccessError` with instructions.
    package static func open(_ url: String) async throws(AccessError) -> PostgresAccessStorage {
        do { return PostgresAccessStorage(try await PostgresRecords.open(url)) } catch { throw failure(error) }
    }

    /// Closes the connection, if it was opened for this.
    package func close() async { await records.close() }

    package func news(since version: Int64?) async throws -> StoredNews? {
        do {
            guard let news = try await records.news(after: version) else { return nil }
            var (kept, removed): ([StoredRecord], [StoredKey]) = ([], [])
            for record in news.records {
                let key = StoredKey(kind: record.kind, id: record.id)
                if let json = record.json {
                    kept.append(StoredRecord(key, json: Data(json.utf8)))
                } else {
                    removed.append(key)
                }
            }
            return StoredNews(version: news.number, isWhole: news.isWhole, records: kept, removed: removed)
        } catch {
            throw Self.failure(error)
        }
    }

    package func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64 {
        let number: Int64?
        do {
            number = try await records.write(changes.map(Self.record), after: version)
        } catch {
            throw Self.failure(error)
        }
        guard let number else { throw StoredConflict() }
        return number
    }

    private static func record(_ change: StoredChange) -> PostgresRecords.Record {
        let json = change.record.map { String(decoding: $0.json, as: UTF8.self) }
        return .init(kind: change.key.kind, id: change.key.id, json: json, isUpdate: change.isUpdate)
    }

    /// The error message, with the database's own message.
    private static func failure(_ error: any Error) -> AccessError {
        let cause = (error as? JournalError)?.cause.map { " (\($0))" } ?? ""
        return AccessError(
            .unavailable, "Users, tokens and sessions in PostgreSQL cannot be read or saved. \(error)\(cause)")
    }
}
