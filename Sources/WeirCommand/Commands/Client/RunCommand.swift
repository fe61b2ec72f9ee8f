import ArgumentParser
import Foundation
import WeirFiles
import WeirStates

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs a command here, and shows it live at a server as a run.",
        usage: "weir run <name> [<options>] -- <command> ...",
        discussion: """
            The command has this terminal, folder and environment; what it prints passes through unchanged, and its exit \
            code is passed on, as are signals. A line `::weir uploading completed=40 total=100 unit=bytes::` says which \
            state it is in. While the server is away its lines are kept in a file and sent later; `weir send` sends what \
            is left.
            """,
        example: "weir run backup -- pg_dump orders -f orders.sql")

    @Argument(help: "The operation that the run belongs to: a-z, 0-9 and single hyphens.") var name: String
    @OptionGroup var connection: ConnectionOptions
    @Option(help: "What the run is called.") var title: String?
    @Option(help: "A value that the run's page shows, as name=value. May be given several times.") var input: [String] =
        []
    @Option(help: "How many seconds the server may hear nothing before it gives the run up.") var lease = 300
    @Option(help: "How many seconds to wait for the server after the command has ended.") var wait = 30
    @Option(help: "The folder where the report waits for the server.") var spool: String?
    @Argument(parsing: .postTerminator, help: "The command and its arguments.") var command: [String]

    func validate() throws {
        guard SpoolHeader.isOperation(name) else {
            throw ValidationError(
                "“\(name)” is not the name of an operation: use a-z, 0-9 and single hyphens, at most 40.")
        }
        guard !command.isEmpty else {
            throw ValidationError("Write the command after --: weir run \(name) -- make all")
        }
        if let mistake = CommandLaunch(command).mistake { throw ValidationError(mistake) }
        guard (1...86_400).contains(lease) else {
            throw ValidationError("--lease is a number of seconds from 1 to 86400.")
        }
        guard (0...86_400).contains(wait) else {
            throw ValidationError("--wait is a number of seconds from 0 to 86400.")
        }
    }

    func run() async throws {
        try await explaining {
            let environment = ProcessInfo.processInfo.environment
            let connection = try connection.connection(environment: environment)
            var values: [String: JSONValue] = [
                "program": .string(URL(filePath: command[0]).lastPathComponent),
                "host": .string(ProcessInfo.processInfo.hostName),
            ]
            let arguments = try InputArguments(input)
            try arguments.check(against: arguments.fields.map(\.name))
            for field in arguments.fields {
                guard case .text(let text) = field.source else {
                    throw ClientError(.refused, "--input takes values and no files: --input \(field.name)=value.")
                }
                values[field.name] = .string(text)
            }
            let header = SpoolHeader(
                server: connection.address.description, operation: name, run: UUID().uuidString.lowercased(),
                title: title,
                input: .object(values))
            let folder = spool.map { SpoolFolder(URL(filePath: $0)) } ?? SpoolFolder(environment: environment)
            let end = try await WrappedRun(
                words: command, header: header, connection: connection, folder: folder, lease: .seconds(lease),
                wait: .seconds(wait)
            ).run()
            try end.passOn()
        }
    }
}

struct SendReports: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends the reports of `weir run` that are still waiting for their servers.",
        discussion: """
            Each goes to the server that it was made for, with the token that `weir login` keeps for it, or the one that is \
            given here. What arrived before is not sent again. One `weir send` works on a folder at a time. Exits with 69 if \
            something is left, and with 75 if another is sending.
            """,
        example: "weir send --server https://weir.example")

    @OptionGroup var connection: ConnectionOptions
    @Option(help: "The folder where the reports wait.") var spool: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = spool.map { SpoolFolder(URL(filePath: $0)) } ?? SpoolFolder(environment: environment)
        let reports = WaitingReports(in: folder, say: { output($0 + "\n") }, complain: { complain($0) }) {
            header throws(ClientError) in
            var options = connection
            options.server = header.server
            return try options.connection(environment: environment)
        }
        var left = 0
        try await explaining { left = try await reports.send() }
        if left > 0 { throw ExitCode(69) }
    }
}
