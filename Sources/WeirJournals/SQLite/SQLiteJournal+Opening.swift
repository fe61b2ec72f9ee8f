import Foundation

extension SQLiteJournal {
    /// Opens the journal at a path, making it if there is none; the folder must be there.
    ///
    /// A file that is damaged is renamed, its companions too, and a new journal is begun. A file that has lost changes
    /// continues under another epoch. The dashboard shows a notice of either.
    ///
    /// - Parameters:
    ///   - path: The file's path; its companions have the same with an ending.
    ///   - configuration: What it is opened for.
    /// - Returns: The journal, ready.
    /// - Throws: `JournalError`: `locked` when another process writes it, `tooNew` when a newer version has, `readOnly`,
    ///   `full`, or `unavailable`.
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) async throws -> SQLiteJournal {
        try await open(at: path, configuration: configuration, now: { Timestamp(Date()) })
    }

    /// Opens the journal at a path with one moment for all that happens to it.
    package static func open(
        at path: String, configuration: Configuration = Configuration(), now: Timestamp,
        makeEpoch: @Sendable () -> String = { JournalEpoch.make() }
    ) async throws -> SQLiteJournal {
        try await open(at: path, configuration: configuration, makeEpoch: makeEpoch, now: { now })
    }
}
