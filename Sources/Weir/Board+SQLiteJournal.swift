public import Logging
public import WeirBoards
public import WeirJournals

extension Board {
    /// Opens a board whose journal is a file: what was recorded is there again after a restart.
    ///
    /// Runs that had not ended are recorded as interrupted, and each store is in the state that was recorded last.
    ///
    /// - Parameters:
    ///   - catalog: The operations that can be run, and the stores that can be acted on.
    ///   - journal: Where every change is recorded; close it after ``Board/shutdown()``.
    ///   - configuration: The limits of the board.
    ///   - logger: Receives what no page can show.
    /// - Returns: The board, ready for commands.
    /// - Throws: `JournalError` when the journal cannot be read, or cannot be written where runs must be ended.
    public static func open(
        catalog: Catalog, journal: SQLiteJournal, configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        let any: any Journal = journal
        return try await open(catalog: catalog, journal: any, configuration: configuration, logger: logger)
    }
}
