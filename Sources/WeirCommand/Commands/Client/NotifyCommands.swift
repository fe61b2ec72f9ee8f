import ArgumentParser
import NIOHTTP1
import WeirStates

struct NotifyCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Tests notifications, and lists the latest.",
        subcommands: [Test.self, List.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends a test message by each notification of an operation, or of the server itself.",
            discussion: """
                Returns when the messages are on their way; `weir notify list` reports what came of them. Without an operation, the \
                rules for the server, digests and reports are tested, which needs the right to administer.
                """,
            example: "weir notify test backup")

        @Argument(help: "The operation's id; without it, the server itself.") var operation: String?
        @OptionGroup var connection: ConnectionOptions
        @Flag(help: "The messages as the API has them.") var json = false

        func run() async throws {
            try await connection.with { client in
                let sent = try await NotificationTest.send(operation, at: client)
                output(json ? try sent.text() + "\n" : NotifyCommands.lines(sent))
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the latest messages about an operation, or about the server itself.",
            example: "weir notify list backup")

        @Argument(help: "The operation's id; without it, the server itself.") var operation: String?
        @OptionGroup var connection: ConnectionOptions
        @Flag(help: "The messages as the API has them.") var json = false

        func run() async throws {
            try await connection.with { client in
                let sent = try await NotificationTest.list(operation, at: client)
                output(json ? try sent.text() + "\n" : NotifyCommands.lines(sent))
            }
        }
    }

    /// A line per message: status, event, place, and the result of the last attempt.
    private static func lines(_ sent: JSONValue) -> String {
        (sent["deliveries"]?.array ?? []).map { delivery in
            let parts = ["status", "event", "place", "detail"].map { delivery[$0]?.string ?? "" }
            return VisibleText.line(parts.filter { !$0.isEmpty }.joined(separator: "  ")) + "\n"
        }.joined()
    }
}

enum NotificationTest {
    /// Sends a test message by each notification rule of the operation, or of the server for nil; throws `ClientError`
    /// if there is no rule.
    static func send(_ operation: String?, at client: ServerClient) async throws(ClientError) -> JSONValue {
        try await client.succeed(.POST, path(operation) + ["test"]).body ?? [:]
    }

    /// The latest messages about the operation, or about the server for nil, as the API lists them.
    static func list(_ operation: String?, at client: ServerClient) async throws(ClientError) -> JSONValue {
        try await client.succeed(.GET, path(operation)).body ?? [:]
    }

    private static func path(_ operation: String?) -> [String] {
        (operation.map { ["operations", $0] } ?? []) + ["notifications"]
    }
}
