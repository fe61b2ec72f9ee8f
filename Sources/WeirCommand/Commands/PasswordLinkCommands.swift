import ArgumentParser
import Foundation
import WeirAccess
import WeirBoards
import WeirFiles
import WeirJournals
import WeirStates

extension UserCommands {
    struct LinkOptions: ParsableArguments {
        @Option(help: "For how many hours the link is valid, 1 to 720.")
        var hours = AccessDirectory.passwordLinkStandard
        @Option(help: "The e-mail address to send the link to as well; needs `mail.server`.") var mail: String?
        @OptionGroup var place: Place

        /// Prints the link that `make` makes, and sends it to the address, if one is given.
        func run(
            _ make: @Sendable (AccessDirectory, _ hours: Int, _ mail: String?) async throws -> MadePasswordLink
        ) async throws {
            try await place.withSettings { directory, settings in
                let secrets = KeptSecrets(DataFolder(settings).secrets)
                let mailer = try mail == nil ? nil : MailServer.mailer(settings) { secrets.value($0) }
                let receiver = try receiver(isSent: mailer != nil)
                let link = try await make(directory, hours, receiver?.description)
                let server = address(settings)
                let url = "\(server)password/\(link.secret.text)"
                print(url)
                guard let receiver, let mailer else { return }
                let letter = link.letter(url: url, server: server) { $0.description }
                if let fault = await mailer(receiver, letter.subject, letter.text) {
                    throw StartError.unavailable("The link was made, but not mailed. \(fault)")
                }
                print("Mailed to \(receiver).")
            }
        }

        private func receiver(isSent: Bool) throws -> MailAddress? {
            guard let mail else { return nil }
            guard isSent else { throw AccessError(.invalid, .noMail) }
            guard let address = MailAddress(mail) else {
                throw AccessError(.invalid, .mailAddress, ["address": .text(mail)])
            }
            return address
        }

        /// The address of the server with a trailing slash: the public one, else that of the running server.
        private func address(_ settings: Settings) -> String {
            if let url = settings.text("public-url") { return url.hasSuffix("/") ? url : url + "/" }
            return ServerRecord.read(in: DataFolder(settings))?.url
                ?? settings.localURL(port: settings.integer("port") ?? 8_080)
        }
    }

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a user without a password, and prints a link with which the person sets it, once.",
            example: "weir user invite anna --role operator")
        @Argument(help: "The name: lower-case letters, digits, dots, hyphens, underscores, @.") var name: String
        @OptionGroup var roles: Roles
        @OptionGroup var link: LinkOptions

        func run() async throws {
            let (name, roles) = (name, roles.assignments)
            try await link.run { directory, hours, mail in
                try await directory.invite(name, roles: roles, hours: hours, mail: mail, by: .commandLine)
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a link with which a user sets a new password, once; the present one is valid until then.",
            example: "weir user reset anna")
        @Argument(help: "The name.") var name: String
        @Flag(help: "Ends the link instead of making one.") var revoke = false
        @OptionGroup var link: LinkOptions

        func run() async throws {
            let name = name
            guard !revoke else {
                try await link.place.with { try await $0.revokePasswordLink(of: name, by: .commandLine) }
                return print("\(name) has no link.")
            }
            try await link.run { directory, hours, mail in
                try await directory.makePasswordLink(of: name, hours: hours, mail: mail, by: .commandLine)
            }
        }
    }

    struct Demand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "require-change", abstract: "Requires that a user changes the password before anything else.",
            example: "weir user require-change anna")
        @Argument(help: "The name.") var name: String
        @Flag(help: "Withdraws this.") var withdraw = false
        @OptionGroup var place: Place

        func run() async throws {
            try await place.with {
                try await $0.requirePasswordChange(!withdraw, of: name, by: .commandLine)
            }
            print(withdraw ? "\(name) may keep the password." : "\(name) must change the password.")
        }
    }

    struct SecondFactor: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "second-factor",
            abstract:
                "Tells whether a user has a second factor, or removes it: for a lost device without recovery codes.",
            example: "weir user second-factor anna --remove")
        @Argument(help: "The name.") var name: String
        @Flag(help: "Removes it; the password alone signs in then.") var remove = false
        @OptionGroup var place: Place

        func run() async throws {
            let factor = try await place.with { directory in
                if remove { try await directory.removeSecondFactor(of: name, by: .commandLine) }
                return try directory.secondFactor(named: name)
            }
            guard let factor else { return print("\(name) has no second factor.") }
            print(
                "\(name) has a second factor since \(Timestamp(milliseconds: factor.since)), and "
                    + "\(factor.recovery.count) unused recovery codes.")
        }
    }
}
