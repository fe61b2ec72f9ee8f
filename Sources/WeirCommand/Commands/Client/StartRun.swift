import ArgumentParser
import Foundation
import WeirPages
import WeirStates

struct StartRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Starts a run of an operation, and prints its id.",
        discussion: """
            An input is name=value. name=@file reads the value from a file, or sends the file to a field that takes one; \
            name=@- reads it from standard input, which keeps a secret out of the list of processes; name=@@value is a value \
            that begins with @. \(RunWatch.exitCodes)
            """,
        example: "weir start greeting label=World --follow")

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

struct CancelRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancels a run.",
        discussion: "Returns when the request is recorded. Exits with 65 if the run has ended already.",
        example: "weir cancel 01jq3m8v2k5c7t9wxyzabcdefg")

    @Argument(help: RunName.help) var id: String
    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "The run as the API has it.") var json = false

    func run() async throws {
        try await connection.with { client in
            let id = try await RunName.id(of: id, at: client)
            let run = try await RunEnding.cancel(id, at: client)
            output(json ? try run.text() + "\n" : "Cancelled \(VisibleText.line(id)).\n")
        }
    }
}

struct DeleteRuns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes ended runs, with their input, output, files and messages.",
        discussion: """
            The runs of a run's steps are deleted with it. It takes the right to administer the server. Exits with 65 at the \
            first run that cannot be deleted, for example because it has not ended; those before it are deleted.
            """,
        example: "weir delete 01jq3m8v2k5c7t9wxyzabcdefg")

    @Argument(help: RunName.help) var ids: [String]
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.with { client in
            // All names are found first, so that a mistake in one of them deletes nothing.
            var runs: [String] = []
            for id in ids { runs.append(try await RunName.id(of: id, at: client)) }
            for run in runs {
                try await RunEnding.delete(run, at: client)
                output("Deleted \(VisibleText.line(run)).\n")
            }
        }
    }
}

struct ListRuns: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "Lists the runs of a server, newest first.",
        example: "weir runs --operation backup --phase failed")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var only: RunFilterOptions
    @Flag(help: "Only runs that you started, or the token that you use.") var mine = false
    @Option(help: "Only runs that started at this time or later, in ISO 8601.") var startedAfter: [String] = []
    @Option(help: "Only runs that started before this time.") var startedBefore: [String] = []
    @Option(help: "How many, from 1 to 500.") var limit = 50
    @Option(help: "Go on after an earlier list: the number that it ended with.") var before: String?
    @Flag(help: "One run a line, as the API has it.") var json = false

    func validate() throws {
        try RunFilterOptions.check(startedAfter, of: "started-after")
        try RunFilterOptions.check(startedBefore, of: "started-before")
        guard only.actor.isEmpty || !mine else { throw ValidationError("Give --actor or --mine, not both.") }
    }

    func run() async throws {
        try await connection.with { client in
            let given = filters.map { (name: $0.parameter, value: $0.value) } + [("before", before)]
            let query = given.compactMap { name, value in value.map { (name: name, value: $0) } }
            let page = try await client.succeed(get: ["runs"], query: query).body
            let runs = page?["runs"]?.array ?? []
            let next = page?["next"]?.integer.map { String($0) }
            if json {
                for run in runs { output(try run.text() + "\n") }
                if let next = page?["next"], next != .null {
                    output(try JSONValue.object(["next": next]).text() + "\n")
                }
            } else {
                output(RunTable.runs(runs))
            }
            if let next { complain("There are more: \(command(before: next))") }
        }
    }

    private var filters: [(parameter: String, option: String, value: String?)] {
        only.values.map { name, value in
            (parameter: name, option: name, value: mine && name == "actor" ? RunFilter.me : value)
        } + [
            (parameter: "startedAfter", option: "started-after", value: startedAfter.first),
            (parameter: "startedBefore", option: "started-before", value: startedBefore.first),
            (parameter: "limit", option: "limit", value: String(limit)),
        ]
    }

    /// The command for the next page, with the same options as this one, for a shell.
    func command(before next: String) -> String {
        let options = [
            ("server", connection.server), ("token-file", connection.tokenFile), ("ca-file", connection.caFile),
        ]
        let all = options + filters.map { ($0.option, $0.value) } + [("before", next)]
        let words = all.compactMap { name, value in value.map { ShellText.option(name, $0) } }
        return (["weir runs"] + words + (json ? ["--json"] : [])).joined(separator: " ")
    }
}
