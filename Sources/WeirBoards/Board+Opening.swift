public import Logging
public import WeirJournals

extension Board {
    /// Opens a board whose journal lasts as long as the process.
    ///
    /// - Parameters:
    ///   - catalog: The operations that can be run, and the stores that can be acted on.
    ///   - journal: Where every change is recorded.
    ///   - configuration: The limits of the board.
    ///   - logger: Receives what no page can show.
    /// - Returns: The board, ready for commands.
    /// - Throws: `JournalError` when the journal cannot be used.
    public static func open(
        catalog: Catalog, journal: MemoryJournal = MemoryJournal(), configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        let any: any Journal = journal
        return try await open(catalog: catalog, journal: any, configuration: configuration, logger: logger)
    }
}
