import Foundation
import WeirBoards
import WeirFiles
import WeirJournals
import WeirStandard
import WeirStates
import WeirWeb

extension Setting {
    static let mail: [Setting] = [
        Setting(
            key: "mail.server", kind: .listen, standard: nil,
            help:
                "The mail server that takes e-mail for `notify` and for links to set a password, with its port, such as "
                + "mail.example.com:587; needs `mail.from`."
        ),
        Setting(
            key: "mail.security", kind: .word(MailSecurity.allCases.map(\.rawValue)), standard: "starttls",
            help:
                "How the connection to it is protected: encrypted by STARTTLS (port 587), from its beginning (tls, port 465), or "
                + "not at all, which allows no `mail.user`."),
        Setting(
            key: "mail.from", kind: .mailAddress, standard: nil, help: "The address that e-mail comes from."),
        Setting(
            key: "mail.user", kind: .text, standard: nil,
            help: "The user for the sign-in at the mail server; without it, there is no sign-in."),
        Setting(
            key: "mail.password", kind: .text, standard: nil,
            help: "The name of the kept secret with this user’s password, as in `weir secret set NAME`."),
        Setting(
            key: "mail.password-file", kind: .path, standard: nil,
            help: "A file with this password, instead of a kept secret; read for each message."),
        Setting(
            key: "mail.ca-file", kind: .path, standard: nil,
            help:
                "A PEM file with the root certificates that the mail server’s certificate may have besides those that this machine "
                + "trusts."),
    ]
}

extension MailServer {
    private static let passwordLimit = 4_096

    /// Sends letters to people, such as the link to set a password; nil without a mail server.
    static func mailer(
        _ settings: Settings, secret: @escaping @Sendable (String) -> String?
    ) throws -> Accounts.Mailer? {
        guard let server = try MailServer(settings, secret: secret) else { return nil }
        return { receiver, subject, text in
            await server.send(
                NotificationMail(subject: subject, text: text), to: receiver, delivery: UUID().uuidString.lowercased(),
                at: Timestamp(Date()).milliseconds,
                in: OperationEnvironment(outgoing: OutgoingPolicy(allowing: settings.allowances)), within: .seconds(20))
        }
    }

    /// The mail server of the settings, or nil without one; throws `StartError` if the settings do not fit together.
    init?(_ settings: Settings, secret: @escaping @Sendable (String) -> String?) throws {
        guard let address = settings.text("mail.server").flatMap(ListenAddress.init) else { return nil }
        let text = { (key: String) in settings.text(key) }
        guard let port = Port(address.port) else {
            throw StartError.misconfigured(
                "mail.server has the port 0. Write the port of the mail server, such as 587.")
        }
        guard let from = text("mail.from").flatMap({ MailAddress($0) }) else {
            throw StartError.misconfigured(
                "mail.server is set, but mail.from is not. Name the address that e-mail comes from.")
        }
        let security = text("mail.security").flatMap(MailSecurity.init) ?? .starttls
        let (user, name, file) = (text("mail.user"), text("mail.password"), text("mail.password-file"))
        if user != nil {
            guard security != .none else {
                throw StartError.misconfigured(
                    "mail.security is none, so the password of mail.user would be readable on the network. Use starttls or tls, or "
                        + "remove mail.user.")
            }
            guard (name == nil) != (file == nil) else {
                throw StartError.misconfigured(
                    "mail.user needs its password: set either mail.password or mail.password-file.")
            }
        }
        self.init(host: address.host, port: port, security: security, sender: from, roots: text("mail.ca-file")) {
            guard let user else { return nil }
            let password: String?
            if let file {
                password = try? RegularFile.text(of: file, limit: Self.passwordLimit)
                    .trimmingCharacters(in: .newlines)
            } else {
                password = name.flatMap(secret)
            }
            guard let password, !password.isEmpty, !password.contains("\0") else {
                throw Unknown(
                    file == nil
                        ? "There is no secret of the name that mail.password has. Set it with: weir secret set NAME"
                        : "The file of mail.password-file cannot be read, or is empty. Write the password into it.")
            }
            return MailCredentials(user: user, password: password)
        }
    }
}
