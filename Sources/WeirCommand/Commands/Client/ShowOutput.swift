import ArgumentParser
import Foundation
import WeirStates

/// `weir output`.
struct ShowOutput: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "output", abstract: "Prints what a run printed.",
        discussion: """
            What the run printed to standard error, and what the operation says about its own work, goes to standard error. \
            On a terminal only colours are passed on of what would control it; elsewhere every line is as it was printed.
            """)

    @Argument(help: "The run's id.") var id: String
    @OptionGroup var connection: ConnectionOptions
    @Flag(name: .shortAndLong, help: "Goes on until the run has ended.") var follow = false
    @Flag(help: "Each line as the API has it, with its number, time and channel.") var json = false

    func run() async throws {
        try await connection.with { client in
            var follower = StreamFollower(client, stream: "output-\(id)", isLive: follow) { complain($0) }
            let isShown = (output: isatty(1) == 1, errors: isatty(2) == 1)
            while let lines = try await follower.next() {
                for line in lines {
                    if json {
                        output(try line.text() + "\n")
                        continue
                    }
                    let text = line["text"]?.string ?? ""
                    let end = line["continues"]?.bool == true ? "" : "\n"
                    if line["channel"]?.string == "stdout" {
                        output((isShown.output ? VisibleText.output(text) : text) + end)
                    } else {
                        FileHandle.standardError.write(
                            Data(((isShown.errors ? VisibleText.output(text) : text) + end).utf8))
                    }
                }
            }
        }
    }
}
