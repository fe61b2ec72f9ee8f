import ServiceLifecycle
import WeirBoards
import WeirJournals

/// The board as a service: it ends its runs and closes the journal once the server no longer accepts requests.
struct BoardService: ServiceLifecycle.Service {
    let board: Board
    let journal: any Journal

    func run() async throws {
        try await gracefulShutdown()
        await board.shutdown()
        await journal.close()
    }
}
