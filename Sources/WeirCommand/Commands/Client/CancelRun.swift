import ArgumentParser
import WeirStates

/// `weir cancel`.
struct CancelRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancels a run.",
        discussion: "Returns when the request is recorded. Exits with 65 if the run has ended already.")

    @Argument(help: "The run's id.") var id: String
    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "The run as the API has it.") var json = false

    func run() async throws {
        try await connection.with { client in
            let run = try await RunCancellation.cancel(id, at: client)
            output(json ? try run.text() + "\n" : "Cancelled \(VisibleText.line(id)).\n")
        }
    }
}
