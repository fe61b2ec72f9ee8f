import Foundation
package import WeirAccess
import WeirJournals

/// Users, tokens, links, sessions and saved views in the PostgreSQL database of the journal, for all servers that use it.
///
/// All servers write, also those that follow; each reads what the others have changed, and only that.
package final class PostgresAccessStorage: AccessStorage {
    private let records: PostgresRecords

    /// Uses the connections of a journal, and is of use as long as that is open.
    package init(of journal: PostgresJournal) { records = PostgresRecords(of: journal) }

    private init(_ records: PostgresRecords) { self.records = records }

    /// Opens a database for a command that is soon over, beside the servers that use it.
    ///
    /// Throws `AccessError` with what to do.
    package static func open(_ url: String) async throws(AccessError) -> PostgresAccessStorage {
        do { return PostgresAccessStorage(try await PostgresRecords.open(url)) } catch { throw failure(error) }
    }

    /// Ends a connection that was opened for this.
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

    /// The sentence of the database's error, and what it said itself.
    private static func failure(_ error: any Error) -> AccessError {
        let cause = (error as? JournalError)?.cause.map { " (\($0))" } ?? ""
        return AccessError(
            .unavailable, "Users, tokens and sessions in PostgreSQL cannot be read or saved. \(error)\(cause)")
    }
}
