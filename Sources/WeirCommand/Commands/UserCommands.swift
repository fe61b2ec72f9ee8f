import ArgumentParser
import Foundation
import Logging
import WeirAccess
import WeirStates

/// `weir user`: who signs in with a password.
struct UserCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manages the users that sign in with a password.",
        discussion: "A running server notices every change within a second.",
        subcommands: [Add.self, List.self, GiveRole.self, Password.self, Remove.self])

    /// What every command needs to find the users.
    struct Place: ParsableArguments {
        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "Where the server's journal is kept: in a database, the users are there too.") var journal:
            String?
        @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

        /// Does something with the directory of users; what it changes is in the audit when the server runs next, at the
        /// latest.
        func with<Result>(_ body: (AccessDirectory) async throws -> Result) async throws -> Result {
            LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
            umask(0o077)
            let settings = try Settings.inForce(flags: ["data": data, "journal": journal], config: config)
            do {
                let folder = DataFolder(settings)
                try folder.make()
                var configuration = AccessConfiguration(.password)
                configuration.sessions.idle = .max
                let control = AccessControl(rules: settings.rules ?? AccessRules())
                let audit = try AuditLog(folder: nil)
                return try await AccessFiles(folder).with(JournalPlace(settings)) { storage in
                    let directory = try await AccessDirectory(
                        configuration, control: control, storage: storage, audit: audit, leavesAudit: true)
                    return try await body(directory)
                }
            } catch let error as StartError {
                complain(error.description)
                throw ExitCode(error.exitCode)
            } catch let error as AccessError {
                complain(error.description)
                throw ExitCode(65)
            }
        }
    }

    /// Roles as options give them.
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

    /// `weir user add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a user; the password is read from the terminal, or from standard input.")
        @Argument(help: "The name: lower-case letters, digits, dots, hyphens, underscores, @.") var name: String
        @OptionGroup var roles: Roles
        @OptionGroup var place: Place

        func run() async throws {
            let given = roles.assignments
            guard !given.isEmpty else {
                throw ValidationError("Give the user a role, such as --role viewer, --role operator or --role admin.")
            }
            try await place.with { directory in
                let password = try PasswordPrompt().read(confirming: true)
                try await directory.addUser(name, password: password, roles: given, by: .commandLine)
            }
            print("Added \(name).")
        }
    }

    /// `weir user list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the users with their roles.")
        @OptionGroup var place: Place

        func run() async throws {
            let users = try await place.with { $0.users }
            for user in users {
                print("\(user.name)\t\(user.roles.map(\.words).joined(separator: ", "))")
            }
        }
    }

    /// `weir user role`.
    struct GiveRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "role", abstract: "Gives a user these roles in place of those they have.")
        @Argument(help: "The name.") var name: String
        @OptionGroup var roles: Roles
        @OptionGroup var place: Place

        func run() async throws {
            try await place.with { try await $0.setRoles(roles.assignments, of: name, by: .commandLine) }
            print("Changed \(name).")
        }
    }

    /// `weir user password`.
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a user another password and signs them out everywhere.")
        @Argument(help: "The name.") var name: String
        @OptionGroup var place: Place

        func run() async throws {
            try await place.with { directory in
                try await directory.setPassword(try PasswordPrompt().read(confirming: true), of: name, by: .commandLine)
            }
            print("Changed \(name).")
        }
    }

    /// `weir user remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a user; their sessions, tokens and links end.")
        @Argument(help: "The name.") var name: String
        @OptionGroup var place: Place

        func run() async throws {
            try await place.with { try await $0.removeUser(name, by: .commandLine) }
            print("Removed \(name).")
        }
    }
}

extension Principal {
    /// Whoever runs a command on this machine.
    static var commandLine: Principal { Principal(.operator, name: NSUserName()) }
}

extension StoredAssignment {
    /// The role with what it is narrowed to, for a list.
    var words: String {
        let parts = [("operations", operations), ("stores", stores), ("tags", tags)].compactMap { name, list in
            list.flatMap { $0.isEmpty ? nil : "\(name) \($0.joined(separator: " "))" }
        }
        return parts.isEmpty ? role : "\(role) (\(parts.joined(separator: "; ")))"
    }
}
