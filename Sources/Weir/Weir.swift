// The umbrella module of an app that runs operations and shows them: `import Weir` is enough.
//
// Operations and stores are declared, a board runs and records them, and a dashboard shows the board in a Hummingbird
// app. The re-exported modules are layers of one library, not products: declarations shared only among them are `package`.

@_exported public import WeirAccess
@_exported public import WeirBoards
@_exported public import WeirFlows
@_exported public import WeirJournals
@_exported public import WeirOperations
@_exported public import WeirPages
@_exported public import WeirStates
@_exported public import WeirStores
@_exported public import WeirWeb
public import Logging

extension Board {
    /// Opens a board whose journal is a file, from which it restores its state after a restart.
    ///
    /// Runs that had not ended are recorded as interrupted, and each store has its last recorded state.
    ///
    /// - Parameters:
    ///   - catalog: The operations that can be run, and the stores that can be acted on.
    ///   - journal: Records every change; close it after ``Board/shutdown()``.
    ///   - configuration: The limits of the board.
    ///   - logger: Receives what no page can show.
    /// - Returns: The board, ready for commands.
    /// - Throws: `JournalError` if the journal cannot be read, or cannot be written where runs must be ended.
    public static func open(
        catalog: Catalog, journal: SQLiteJournal, configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "weir.board")
    ) async throws -> Board {
        let any: any Journal = journal
        return try await open(catalog: catalog, journal: any, configuration: configuration, logger: logger)
    }
}
