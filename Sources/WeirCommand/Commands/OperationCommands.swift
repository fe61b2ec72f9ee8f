import ArgumentParser
import Foundation
import WeirFiles
import WeirStates

struct OperationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Lists the operations of a server; checks files that declare some, and describes them to editors.",
        subcommands: [ListOperations.self, Check.self, Schema.self], defaultSubcommand: ListOperations.self)

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the files of a folder, and tells every mistake by file, line and column.",
            example: "weir operations check operations")

        @Argument(help: "The folder of operation files.") var folder = "operations"

        func run() throws {
            let read: OperationFolder
            do {
                read = try OperationFolder(
                    URL(filePath: folder, directoryHint: .isDirectory), reserved: StandardCatalog.fields)
            } catch {
                complain("\(error)")
                throw ExitCode(66)
            }
            for mistake in read.mistakes { print(mistake) }
            guard read.mistakes.isEmpty else {
                complain(read.mistakes.count == 1 ? "1 mistake" : "\(read.mistakes.count) mistakes")
                throw ExitCode(1)
            }
            print("Operations: \(read.definitions.count). No mistakes.")
        }
    }

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the JSON Schema of operation files, with which editors complete and check them.",
            example: "weir operations schema")

        func run() throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(OperationSchema.value), as: UTF8.self))
        }
    }
}

struct ListOperations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the operations of a server, with the fields that `weir start` takes.",
        discussion: "A field with * must be given.",
        example: "weir operations")

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
