import ArgumentParser
import Foundation
import Logging
import WeirAccess
import WeirJournals

struct UserCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manages the users that sign in with a password, and ends anybody's access.",
        discussion: "A running server notices every change within a second.",
        subcommands: [
            Add.self, Invite.self, List.self, GiveRole.self, Password.self, Reset.self, Demand.self,
            SecondFactor.self, Remove.self, People.self, End.self,
        ])

    struct Place: ParsableArguments {
        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "Where the server's journal is kept: in a database, the users are there too.") var journal:
            String?
        @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

        /// Runs a body with the directory of users, whose changes the server audits at its next start, at the latest.
        func with<Result>(_ body: (AccessDirectory) async throws -> Result) async throws -> Result {
            try await withSettings { directory, _ in try await body(directory) }
        }

        func withSettings<Result>(_ body: (AccessDirectory, Settings) async throws -> Result) async throws -> Result {
            LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
            umask(0o077)
            let settings = try Settings.inForce(flags: ["data": data, "journal": journal], config: config)
            return try await explaining {
                let folder = DataFolder(settings)
                try folder.make()
                var configuration = AccessConfiguration(.command)
                (configuration.sessions.idle, configuration.sessions.maximum) = (.max, .max)
                configuration.lease = settings.lease
                let control = AccessControl(rules: settings.rules ?? AccessRules())
                let audit = try AuditLog(folder: nil)
                return try await AccessFiles(folder).with(JournalPlace(settings)) { storage in
                    let directory = try await AccessDirectory(
                        configuration, control: control, storage: storage, audit: audit, leavesAudit: true)
                    return try await body(directory, settings)
                }
            }
        }
    }

    struct Roles: ParsableArguments {
        @Option(help: "A role: viewer, operator, admin, or one of weir.yml's. May be given several times.")
        var role: [String] = []
        @Option(help: "Only for operations whose ids match: a pattern such as 'backup*'. May be given several times.")
        var operations: [String] = []
        @Option(help: "Only for stores whose ids match. May be given several times.") var stores: [String] = []
        @Option(help: "Only for operations and stores with this tag. May be given several times.") var tags: [String] =
            []

        var assignments: [StoredAssignment] {
            let isNarrowed = !(operations + stores + tags).isEmpty
            return role.map {
                StoredAssignment(
                    role: $0, operations: isNarrowed ? operations : nil, stores: isNarrowed ? stores : nil,
                    tags: isNarrowed ? tags : nil)
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a user; the password is read from the terminal, or from standard input.",
            example: "weir user add anna --role admin --data /var/lib/weir")
        @Argument(help: "The name: lower-case letters, digits, dots, hyphens, underscores, @.") var name: String
        @OptionGroup var roles: Roles
        @Flag(help: "The user must change the password at the first sign-in.") var mustChange = false
        @OptionGroup var place: Place

        func run() async throws {
            let given = roles.assignments
            guard !given.isEmpty else {
                throw ValidationError("Give the user a role, such as --role viewer, --role operator or --role admin.")
            }
            try await place.with { directory in
                let password = try PasswordPrompt().read(confirming: true)
                try await directory.addUser(
                    name, password: password, roles: given, mustChange: mustChange, by: .commandLine)
            }
            print("Added \(name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the users with their roles, and who has a second factor, must change the password or has a link to set one.",
            example: "weir user list --data /var/lib/weir")
        @OptionGroup var place: Place

        func run() async throws {
            let lines = try await place.with { directory in
                directory.users.map { user in
                    let link = directory.passwordLinkEnd(of: user).map {
                        "link until \(Timestamp(milliseconds: $0).description)"
                    }
                    let demand = directory.mustChangePassword(user) ? "must change the password" : nil
                    let factor = directory.secondFactor(of: user) == nil ? nil : "second factor"
                    let roles = user.roles.map(\.words).joined(separator: ", ")
                    return ([user.name, roles] + [factor, demand, link].compactMap { $0 }).joined(separator: "\t")
                }
            }
            for line in lines { print(line) }
        }
    }

    struct GiveRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "role", abstract: "Gives a user these roles in place of those they have.",
            example: "weir user role anna --role operator")
        @Argument(help: "The name.") var name: String
        @OptionGroup var roles: Roles
        @Flag(help: "Keeps the other roles.") var add = false
        @Flag(help: "Takes these roles away, written as they were given, and keeps the others.") var remove = false
        @OptionGroup var place: Place

        func run() async throws {
            guard !(add && remove) else { throw ValidationError("Write either --add or --remove.") }
            guard !(add || remove) || !roles.role.isEmpty else { throw ValidationError("Name a role with --role.") }
            try await place.with { directory in
                guard add || remove else {
                    return try await directory.setRoles(roles.assignments, of: name, by: .commandLine)
                }
                for role in roles.assignments {
                    try await directory.changeRole(
                        remove ? role.words : nil, to: remove ? nil : role, of: name, by: .commandLine)
                }
            }
            print("Changed \(name).")
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a user another password and signs them out everywhere.",
            example: "weir user password anna")
        @Argument(help: "The name.") var name: String
        @Flag(help: "The user must change the password at the next sign-in.") var mustChange = false
        @OptionGroup var place: Place

        func run() async throws {
            try await place.with { directory in
                _ = try await directory.setPassword(
                    try PasswordPrompt().read(confirming: true), of: name, mustChange: mustChange, by: .commandLine)
            }
            print("Changed \(name).")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a user; their sessions, tokens and links end.",
            example: "weir user remove anna")
        @Argument(help: "The name.") var name: String
        @OptionGroup var place: Place

        func run() async throws {
            try await place.with { try await $0.removeUser(name, by: .commandLine) }
            print("Removed \(name).")
        }
    }
}

extension Principal {
    /// The local user who runs the command.
    static var commandLine: Principal { Principal(.operator, name: NSUserName()) }
}

extension UserCommands {
    struct People: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists everyone whom the server knows: id, name, identity, groups, last seen, and the numbers of sessions, "
                + "tokens and links.",
            example: "weir user people --data /var/lib/weir")
        @OptionGroup var place: Place

        func run() async throws {
            for access in try await place.with({ $0.people }) {
                let parts = [
                    access.id, access.person.name, access.person.identity,
                    access.person.groups.isEmpty ? "-" : access.person.groups.joined(separator: ","),
                    access.seenAt.map { Timestamp(milliseconds: $0).description } ?? "-", "\(access.sessions.count)",
                    "\(access.tokens.count)", "\(access.links.count)",
                ]
                print(parts.joined(separator: "\t"))
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends all sessions, tokens and links of a person, however that person signs in.",
            example: "weir user end user:anna")
        @Argument(help: "The person's id or identity, as `weir user people` has it.") var person: String
        @OptionGroup var place: Place

        func run() async throws {
            let ended = try await place.with { try await $0.endAccess(of: person, by: .commandLine) }
            print(
                "Ended \(ended.sessions.count) sessions, \(ended.tokens.count) tokens and \(ended.links.count) links of "
                    + "\(ended.person.name).")
        }
    }
}

/// Asks for a password: on a terminal without echo, otherwise as the first line of standard input.
struct PasswordPrompt {
    var words = "Password: "

    func read(confirming: Bool) throws -> String {
        guard isatty(0) == 1 else {
            guard let line = readLine(strippingNewline: true) else {
                throw StartError.malformed("No password came on standard input. Send it as the first line.")
            }
            return line
        }
        let first = try ask(words)
        guard try !confirming || ask("The same again: ") == first else {
            throw StartError.malformed("The two are not the same. Try again.")
        }
        return first
    }

    private func ask(_ words: String) throws -> String {
        FileHandle.standardError.write(Data(words.utf8))
        var before = termios()
        guard tcgetattr(0, &before) == 0 else { throw StartError.unavailable("The terminal cannot be read.") }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &silent)
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            FileHandle.standardError.write(Data("\n".utf8))
        }
        guard let line = readLine(strippingNewline: true) else {
            throw StartError.malformed("No password was typed. Try again.")
        }
        return line
    }
}
