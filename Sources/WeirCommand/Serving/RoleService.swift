import Logging
import ServiceLifecycle
import WeirBoards
import WeirFlows
import WeirStates

/// Does what a server does once it records, and ends it when another one has taken its place.
struct RoleService: ServiceLifecycle.Service {
    let board: Board
    let runbooks: Runbooks
    let logger: Logger

    /// Throws `StartError` when the server must be started again.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await role in board.currentRole.values(.lossless) {
                switch role {
                case .recording: await takeInEdits()
                case .following: logger.notice("Another server records in the database; this one follows it.")
                case .replaced:
                    throw StartError.replaced(
                        "Another server records in the database now, or it has lost changes. Start this one again: it joins "
                            + "as it finds the database.")
                }
            }
        }
        try await gracefulShutdown()
    }

    private func takeInEdits() async {
        do {
            try await runbooks.takeInEdits(on: board)
        } catch {
            logger.warning(
                "Edits of the runbook files are not shown, because they cannot be recorded.",
                metadata: ["cause": "\(Quoted(error))"])
        }
    }
}
