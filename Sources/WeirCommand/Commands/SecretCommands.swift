import ArgumentParser
import Foundation
import WeirAccess
import WeirStates

struct SecretCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Keeps the secrets that operation files name.",
        discussion:
            "They are in a file of the data folder that only its owner can read, and in no journal, export or log. A running "
            + "server uses a change at once.",
        subcommands: [Keep.self, Make.self, List.self, Remove.self])

    /// Does work, and undoes what was done before it if it fails.
    ///
    /// - Throws: What the work throws. An error of `undo` is passed to `complaint`.
    static func doing(
        _ work: () async throws -> Void, orUndoing undo: () throws -> Void, complaint: (any Error) -> Void
    ) async throws {
        do {
            try await work()
        } catch {
            do { try undo() } catch { complaint(error) }
            throw error
        }
    }

    struct Place: ParsableArguments {
        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

        /// Sets a secret, or removes it if `value` is nil, and leaves an audit entry for the server; does both or neither.
        func set(_ name: String, to value: String?) async throws {
            var users = UserCommands.Place()
            (users.data, users.config, users.journal) = (data, config, nil)
            // Opens the storage of the audit's entries before the secret is changed.
            try await users.with { directory in
                let secrets = KeptSecrets(
                    DataFolder(try Settings.inForce(flags: ["data": data], config: config)).secrets)
                let before = try secrets.all()[name]
                try secrets.set(name, to: value)
                try await SecretCommands.doing {
                    try await directory.leave(
                        value == nil ? .removeSecret : .setSecret, by: .commandLine, "secret:\(name)")
                } orUndoing: {
                    if before != value { try secrets.set(name, to: before) }
                } complaint: {
                    complain("The secret \(name) could not be set back, and has changed. \($0)")
                }
            }
        }

        func with<Result>(_ body: (KeptSecrets) throws -> Result) async throws -> Result {
            umask(0o077)
            let settings = try Settings.inForce(flags: ["data": data], config: config)
            return try await explaining {
                let folder = DataFolder(settings)
                try folder.make()
                return try body(KeptSecrets(folder.secrets))
            }
        }
    }

    struct Keep: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Keeps a secret: a line that is asked for on the terminal, or all of standard input.",
            example: "weir secret set github --data /var/lib/weir")
        @Argument(help: "Its name: letters, digits, hyphens and underscores.") var name: String
        @OptionGroup var place: Place

        func run() async throws {
            let value = try Self.value(name)
            try await place.set(name, to: value)
            print("Kept \(name).")
            if value.count < SecretMask.minimum {
                complain(
                    "It has fewer than \(SecretMask.minimum) characters, so it is not hidden in what programs print. Use a longer one."
                )
            }
        }

        private static func value(_ name: String) throws -> String {
            guard isatty(0) != 1 else { return try PasswordPrompt(words: "\(name): ").read(confirming: false) }
            let data = try FileHandle.standardInput.read(upToCount: KeptSecrets.limit + 2) ?? Data()
            guard let text = String(validating: data, as: UTF8.self) else {
                throw StartError.malformed("The secret is not UTF-8 text.")
            }
            // Removes the newline that `echo` adds.
            return text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a random secret, keeps it, and prints it for the other side.",
            example: "weir secret make github --data /var/lib/weir")
        @Argument(help: "Its name.") var name: String
        @OptionGroup var place: Place

        func run() async throws {
            let value = SecretText.random(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try await place.set(name, to: value)
            print(value)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the names of the secrets.",
            example: "weir secret list --data /var/lib/weir")
        @OptionGroup var place: Place

        func run() async throws {
            for name in try await place.with({ try $0.all().keys.sorted() }) { print(name) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a secret.",
            example: "weir secret remove github --data /var/lib/weir")
        @Argument(help: "Its name.") var name: String
        @OptionGroup var place: Place

        func run() async throws {
            try await place.set(name, to: nil)
            print("Removed \(name).")
        }
    }
}
