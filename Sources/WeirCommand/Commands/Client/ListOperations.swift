import ArgumentParser
import WeirStates

/// `weir operations`.
struct ListOperations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the operations of a server, with the fields that `weir start` takes.",
        discussion: "A field with * must be given.")

    @OptionGroup var connection: ConnectionOptions
    @Flag(help: "One operation a line, as the API has it.") var json = false

    func run() async throws {
        try await connection.with { client in
            let operations = try await client.succeed(get: ["operations"]).body?["operations"]?.array ?? []
            if json {
                for operation in operations { output(try operation.text() + "\n") }
            } else {
                output(RunTable.operations(operations))
            }
        }
    }
}
