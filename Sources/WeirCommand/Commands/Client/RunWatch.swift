import ArgumentParser
import Foundation
import WeirJournals
import WeirStates

struct RunWatch {
    let client: ServerClient
    let json: Bool

    /// Shows each change, and exits with the code of the outcome.
    func follow(_ run: String) async throws {
        let style: WatchView.Style = json ? .json : Terminal.size.map(WatchView.Style.gauge) ?? .plain
        var follower = StreamFollower(client, stream: "run-\(run)", isLive: true) { complain($0) }
        var view = WatchView(style)
        var last: RunChange?
        while let messages = try await follower.next() {
            for message in messages {
                last = RunChange(message) ?? last
                output(view.text(for: message))
            }
        }
        guard let code = last?.exitCode else {
            throw ClientError(.foreign, "The server closed the run's stream before the run had ended.")
        }
        if code != 0 { throw ExitCode(code) }
    }

    /// The exit codes of commands that follow a run.
    static let exitCodes = """
        Exits with 0 if the run succeeded, 1 if it failed, 2 if it was cancelled and 3 if it was interrupted. \
        Documentation/commands.md lists the codes of mistakes.
        """
}

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows every state of a run, live, until it ends.",
        discussion: "\(RunWatch.exitCodes) Ctrl-C ends the watching, not the run.",
        example: "weir watch 01jq3m8v2k5c7t9wxyzabcdefg")

    @Argument(help: RunName.help) var id: String
    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "Each change as the API has it, one a line.") var json = false

    func run() async throws {
        try await connection.with { client in
            try await RunWatch(client: client, json: json).follow(RunName.id(of: id, at: client))
        }
    }
}

enum Terminal {
    /// The columns and rows of standard output, or nil if it is not a terminal or cannot redraw a line.
    static var size: (columns: Int, rows: Int)? {
        guard isatty(1) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        // Never traps: a constant.
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

struct ShowOutput: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "output", abstract: "Prints what a run printed.",
        discussion: """
            What the run printed to standard error, and what the operation says about its own work, goes to standard error. \
            On a terminal only colours are passed on of what would control it; elsewhere every line is as it was printed.
            """,
        example: "weir output --follow 01jq3m8v2k5c7t9wxyzabcdefg")

    @Argument(help: RunName.help) var id: String
    @OptionGroup var connection: ConnectionOptions
    @Flag(name: .shortAndLong, help: "Goes on until the run has ended.") var follow = false
    @Flag(help: "Each line as the API has it, with its number, time and channel.") var json = false

    func run() async throws {
        try await connection.with { client in
            let id = try await RunName.id(of: id, at: client)
            if follow, !json, let size = Terminal.size {
                return try await followLive(id, at: client, columns: size.columns)
            }
            var follower = StreamFollower(client, stream: "output-\(id)", isLive: follow) { complain($0) }
            var printer = OutputPrinter()
            while let lines = try await follower.next() {
                for line in lines {
                    if json { output(try line.text() + "\n") } else { printer.print(line) }
                }
            }
        }
    }

    /// Follows the output on a terminal, with the line that has not ended.
    private func followLive(_ run: String, at client: ServerClient, columns: Int) async throws {
        var follower = OutputFollower(client, run: run) { complain($0) }
        var printer = OutputPrinter()
        var view = UnfinishedView(columns: columns)
        while let news = try await follower.next() {
            if !news.lines.isEmpty { output(view.erase()) }
            for line in news.lines { printer.print(line) }
            output(view.draw(news.unfinished))
        }
        output(view.erase())
    }
}

/// Prints lines as the API has them, joined from their pieces, each to the stream of its channel.
private struct OutputPrinter {
    private let isShown = (output: isatty(1) == 1, errors: isatty(2) == 1)
    private var joiners = (output: OutputJoiner(), errors: OutputJoiner())

    mutating func print(_ line: JSONValue) {
        let text = line["text"]?.string ?? ""
        let channel = line["channel"]?.string.flatMap(OutputChannel.init(rawValue:)) ?? .notice
        let continues = line["continues"]?.bool == true
        if channel == .standardOutput {
            let shown = isShown.output ? VisibleText.output(text) : text
            output(joiners.output.text(shown, on: channel, continues: continues))
        } else {
            let shown = isShown.errors ? VisibleText.output(text) : text
            let piece = joiners.errors.text(shown, on: channel, continues: continues)
            FileHandle.standardError.write(Data(piece.utf8))
        }
    }
}
