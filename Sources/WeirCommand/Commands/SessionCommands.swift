import ArgumentParser
import WeirAccess
import WeirJournals

struct SessionCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "Lists and ends the sessions of signed-in browsers.",
        discussion: "A running server notices every change within a second.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the sessions: id, name, identity, address, beginning and last use.",
            example: "weir session list --data /var/lib/weir")
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            for session in try await place.with({ $0.sessions() }) {
                let parts = [
                    session.id, session.person.name, session.person.identity, session.address ?? "-",
                    Timestamp(milliseconds: session.begunAt).description,
                    Timestamp(milliseconds: session.usedAt).description,
                ]
                print(parts.joined(separator: "\t"))
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends a session.",
            example: "weir session end 4f1c2a --data /var/lib/weir")
        @Argument(help: "Its id, as `weir session list` has it.") var id: String
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            try await place.with { try await $0.endSession(id, by: .commandLine, anybody: true) }
            print("Ended \(id).")
        }
    }
}

struct LinkCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Lists and revokes the links to runs.",
        discussion: "A running server notices every change within a second.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the links: id, run, operation, maker and expiry.",
            example: "weir link list --data /var/lib/weir")
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            for link in try await place.with({ $0.links() }) {
                let parts = [
                    link.id, link.run, link.operation, link.maker?.identity ?? "-",
                    Timestamp(milliseconds: link.expiresAt).description,
                ]
                print(parts.joined(separator: "\t"))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a link.",
            example: "weir link revoke 4f1c2a --data /var/lib/weir")
        @Argument(help: "Its id, as `weir link list` has it.") var id: String
        @OptionGroup var place: UserCommands.Place

        func run() async throws {
            try await place.with { try await $0.revokeLink(id, by: .commandLine, anybody: true) }
            print("Revoked \(id).")
        }
    }
}
