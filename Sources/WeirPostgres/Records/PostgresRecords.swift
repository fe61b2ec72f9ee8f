import Foundation
import WeirJournals

/// Records of JSON in the database of a journal, which all its servers read and write; see `PostgresRecordTables`.
package final class PostgresRecords: Sendable {
    /// A record.
    package struct Record: Hashable, Sendable {
        package let kind: String
        package let id: String
        /// Its JSON; nil for one that is removed.
        package let json: String?
        /// Whether it is only put in the place of one that is there.
        package let isUpdate: Bool

        /// Creates a record, or with nil its removal.
        package init(kind: String, id: String, json: String?, isUpdate: Bool = false) {
            (self.kind, self.id, self.json, self.isUpdate) = (kind, id, json, isUpdate)
        }
    }

    /// What was written after a number.
    package struct News: Sendable {
        /// The number of the newest write.
        package let number: Int64
        /// Whether these are all records, and not only those that were changed.
        package let isWhole: Bool
        /// The records that were changed, those that were removed without JSON.
        package let records: [Record]
    }

    private enum Connection: Sendable {
        /// The connections of a journal.
        case journal(PostgresJournal)
        /// A connection of its own.
        case own(PostgresWorker)
    }

    private let connection: Connection

    /// Uses the connections of a journal, and is of use as long as that is open.
    package init(of journal: PostgresJournal) { connection = .journal(journal) }

    private init(_ worker: PostgresWorker) { connection = .own(worker) }

    /// Opens a database by a connection of its own, beside the servers that use it, creating its tables if there are none.
    ///
    /// Throws `JournalError`.
    package static func open(_ url: String, timeout: Duration = .seconds(30)) async throws -> PostgresRecords {
        let opening = PostgresOpening(
            address: try PostgresAddress(url), configuration: .init(timeout: timeout),
            makeEpoch: { JournalEpoch.make() }, now: { Timestamp(Date()) })
        return PostgresRecords(try await opening.openWorker())
    }

    /// Closes its own connection; that of a journal stays.
    package func close() async {
        if case .own(let worker) = connection { await worker.close() }
    }

    /// What was written after the write of that number, or all records for nil; nil if that is the newest.
    ///
    /// All records also if too much was written meanwhile. Throws `JournalError`.
    package func news(after known: Int64?) async throws -> News? {
        try await read { connection in
            let newest = try connection.first("SELECT number FROM weir.access") { $0.integer(0) }
            guard let newest else { throw JournalError.damaged("no row of access") }
            if newest == known { return nil }
            // A number that is too high is from before the database was restored.
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

    /// Writes records, all of them or none, if nothing was written after the write of that number.
    ///
    /// - Returns: The number of this write; nil if it was refused.
    /// - Throws: `JournalError`.
    package func write(_ records: [Record], after known: Int64) async throws -> Int64? {
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
