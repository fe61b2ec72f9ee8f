import ArgumentParser
import Foundation
import WeirAccess

struct TokenCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Manages the tokens that programs use.",
        discussion: "A running server notices every change within a second.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a token and prints it, once: only its hash is kept.",
            example: "weir token create ci --role operator --expires 30d")
        @Argument(help: "What it is for.") var name: String
        @OptionGroup var roles: UserCommands.Roles
        @Option(help: "When it expires: a number of days such as 90d, or never.") var expires = "90d"
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            let given = roles.assignments
            guard !given.isEmpty else { throw ValidationError("Give the token a role, such as --role operator.") }
            let days: Int?
            if expires == "never" {
                days = nil
            } else {
                guard expires.hasSuffix("d"), let number = Int(expires.dropLast()) else {
                    throw ValidationError("--expires is a number of days such as 90d, or never.")
                }
                days = number
            }
            let token = try await place.with {
                try await $0.createToken(name, roles: given, days: days, by: .commandLine).token
            }
            print(token.text)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the tokens: id, name, roles, maker, expiry, and the day of the last use.",
            example: "weir token list --data /var/lib/weir")
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            for token in try await place.with({ $0.tokens() }) {
                let parts = [
                    token.id, token.name, token.roles.map(\.words).joined(separator: ", "), token.maker?.name ?? "-",
                    token.expiresAt.map { Self.day($0 / 86_400_000) } ?? "never", token.usedOn.map(Self.day) ?? "-",
                ]
                print(parts.joined(separator: "\t"))
            }
        }

        private static func day(_ number: Int64) -> String {
            Date(timeIntervalSince1970: Double(number) * 86_400).formatted(.iso8601.year().month().day())
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a token.",
            example: "weir token revoke 4f1c2a --data /var/lib/weir")
        @Argument(help: "Its id, as `weir token list` has it.") var id: String
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            try await place.with { try await $0.revokeToken(id, by: .commandLine, anybody: true) }
            print("Revoked \(id).")
        }
    }
}
