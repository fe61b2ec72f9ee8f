import Foundation
package import WeirJournals

extension PostgresJournal {
    /// How a journal's database is used.
    package struct Configuration: Sendable {
        /// Whether it is opened only for reading, while a server may be recording.
        package var isReadOnly: Bool
        /// How many reads can be under way at a time: each takes a connection.
        package var readers: Int
        /// How long the database may take for an answer, before the connection counts as lost.
        package var timeout: Duration
        /// How long to wait for another server that is just ending.
        package var patience: Duration
        /// The server, which follows if another one records; nil to be refused then.
        package var node: PostgresNode?

        /// Creates a configuration.
        package init(
            isReadOnly: Bool = false, readers: Int = 4, timeout: Duration = .seconds(30),
            patience: Duration = .seconds(3), node: PostgresNode? = nil
        ) {
            self.isReadOnly = isReadOnly
            self.readers = readers
            self.timeout = timeout
            self.patience = patience
            self.node = node
        }
    }

    /// Opens the journal in a database, creating its tables if there are none; the database must exist.
    ///
    /// - Parameters:
    ///   - url: The database, as libpq reads it: `postgres://user@host/name?sslmode=verify-full`.
    ///   - configuration: What it is opened for.
    /// - Returns: The journal, ready.
    /// - Throws: `JournalError`: `locked` when another server records in it and this one is not to follow, `tooNew` when a newer version has changed its
    ///   tables, `readOnly`, `full`, or `unavailable`.
    package static func open(
        _ url: String, configuration: Configuration = Configuration()
    ) async throws -> PostgresJournal {
        try await open(url, configuration: configuration, now: { Timestamp(Date()) })
    }

    /// Opens the journal in a database with the given time of day.
    package static func open(
        _ url: String, configuration: Configuration = Configuration(),
        makeEpoch: @escaping @Sendable () -> String = { JournalEpoch.make() }, now: @escaping @Sendable () -> Timestamp
    ) async throws -> PostgresJournal {
        let opening = PostgresOpening(
            address: try PostgresAddress(url), configuration: configuration, makeEpoch: makeEpoch, now: now)
        let journal = PostgresJournal(try await opening.open())
        guard journal.isRecording else { return journal }
        do {
            try await journal.undoInterruptedImport()
            return journal
        } catch {
            await journal.close()
            throw error
        }
    }
}
