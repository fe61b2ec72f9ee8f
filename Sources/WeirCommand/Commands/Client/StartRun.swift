import ArgumentParser
import Foundation
import WeirStates

/// `weir start`.
struct StartRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Starts a run of an operation, and prints its id.",
        discussion: """
            An input is name=value. name=@file reads the value from a file, or sends the file to a field that takes one; \
            name=@- reads it from standard input, which keeps a secret out of the list of processes; name=@@value is a value \
            that begins with @. \(RunWatch.exitCodes)
            """)

    @Argument(help: "The operation's id, as `weir operations` lists it.") var operation: String
    @Argument(help: "Its input: name=value …") var input: [String] = []
    @OptionGroup var connection: ConnectionOptions
    @Flag(name: .shortAndLong, help: "Shows every state of the run until it ends, as `weir watch` does.") var follow =
        false
    @Flag(help: "The run as the API has it; with --follow each change, one a line.") var json = false

    func run() async throws {
        try await connection.with { client in
            let arguments = try InputArguments(input)
            let run = try await RunStart(client).run(operation, arguments) {
                FileHandle.standardInput.readDataToEndOfFile()
            }
            let id = run["id"]?.string ?? ""
            if follow {
                if !json { complain("Run \(VisibleText.line(id))") }
                try await RunWatch(client: client, json: json).follow(id)
            } else {
                output(json ? try run.text() + "\n" : VisibleText.line(id) + "\n")
            }
        }
    }
}
