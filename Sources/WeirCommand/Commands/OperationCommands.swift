import ArgumentParser
import Foundation
import WeirFiles

/// `weir operations`: the operations of a server, and the files that declare some.
struct OperationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Lists the operations of a server; checks files that declare some, and describes them to editors.",
        subcommands: [ListOperations.self, Check.self, Schema.self], defaultSubcommand: ListOperations.self)

    /// `weir operations check`: reports every mistake in a folder's files.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the files of a folder, and tells every mistake by file, line and column.")

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

    /// `weir operations schema`: prints the JSON Schema of operation files.
    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the JSON Schema of operation files, with which editors complete and check them.")

        func run() throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(OperationSchema.value), as: UTF8.self))
        }
    }
}
