import ArgumentParser
import WeirStates

/// `weir runs`.
struct ListRuns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "Lists the runs of a server, newest first.")

    @OptionGroup var connection: ConnectionOptions
    @Option(help: "Only runs of this operation.") var operation: String?
    @Option(help: "Only runs in this phase: active, succeeded, failed, cancelled or interrupted.") var phase: String?
    @Option(help: "Only runs that this actor started.") var actor: String?
    @Option(help: "Only runs that contain this text.") var text: String?
    @Option(help: "Only runs that started at this time or later, in ISO 8601.") var startedAfter: String?
    @Option(help: "Only runs that started before this time.") var startedBefore: String?
    @Option(help: "How many, from 1 to 500.") var limit = 50
    @Option(help: "Go on after an earlier list: the number that it ended with.") var before: String?
    @Flag(help: "One run a line, as the API has it.") var json = false

    func run() async throws {
        try await connection.with { client in
            let given = [
                ("operation", operation), ("phase", phase), ("actor", actor), ("text", text),
                ("startedAfter", startedAfter), ("startedBefore", startedBefore), ("limit", String(limit)),
                ("before", before),
            ]
            let query = given.compactMap { name, value in value.map { (name: name, value: $0) } }
            let page = try await client.succeed(get: ["runs"], query: query).body
            let runs = page?["runs"]?.array ?? []
            if json { for run in runs { output(try run.text() + "\n") } } else { output(RunTable.runs(runs)) }
            if let next = page?["next"]?.integer { complain("There are more: weir runs --before \(next)") }
        }
    }
}
