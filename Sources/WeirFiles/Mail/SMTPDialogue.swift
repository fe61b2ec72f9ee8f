import Foundation
import WeirBoards

/// The protection of a connection to a mail server.
package enum MailSecurity: String, Sendable, Hashable, CaseIterable {
    /// The connection begins in clear and must become encrypted before anything else is sent (RFC 3207).
    case starttls
    /// The connection is encrypted from its beginning (RFC 8314).
    case tls
    case none
}

package struct MailCredentials: Sendable, Hashable {
    let user: String
    let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// What became of a message, by receiver.
struct MailOutcome: Sendable, Hashable {
    struct Refusal: Sendable, Hashable {
        let receiver: MailAddress
        let words: String
    }

    var reached: [MailAddress] = []
    /// The receivers that the server refused for now.
    var deferred: [Refusal] = []
    /// The receivers that the server refused for good.
    var refused: [Refusal] = []

    mutating func note(_ reply: SMTPReply, of receivers: [MailAddress]) {
        let refusals = receivers.map { Refusal(receiver: $0, words: reply.words) }
        if reply.isPermanent { refused += refusals } else { deferred += refusals }
    }
}

struct MailFailure: Error, Sendable, Hashable {
    let sentence: String
    /// Whether a later attempt can succeed.
    var mayPass = true
}

/// The client's side of an SMTP session that sends one message (RFC 5321), or only signs in: takes replies and returns the next
/// action.
///
/// Pure. Addresses, the client's name and the message contain no line breaks that end a command early.
struct SMTPDialogue: Sendable {
    enum Action: Sendable, Equatable {
        case send(String)
        /// Begin TLS, then call ``secured()``.
        case secure
        /// The outcome is known. The session ends with `QUIT`.
        case finish(MailOutcome)
    }

    private enum Step: Sendable, Equatable {
        case greeting, hello, startTLS, secureHello, plain, loginUser, loginPassword, loginEnd
        case from, receiver(Int), data, content, done
    }

    private let message: MailMessage?
    private let credentials: MailCredentials?
    private let security: MailSecurity
    private let client: String
    private var step = Step.greeting
    private var outcome = MailOutcome()
    private var accepted: [MailAddress] = []

    /// Creates a session, which without a message ends after the sign-in.
    ///
    /// `client` is the name or the address literal by which the client introduces itself.
    init(_ message: MailMessage?, as client: String, credentials: MailCredentials?, security: MailSecurity) {
        self.message = message
        self.client = client
        self.credentials = credentials
        self.security = security
    }

    mutating func secured() -> Action {
        step = .secureHello
        return .send("EHLO \(client)")
    }

    /// Takes a reply; throws ``MailFailure`` if the session cannot continue.
    mutating func take(_ reply: SMTPReply) throws(MailFailure) -> Action {
        switch step {
        case .greeting:
            try expect(reply, "The mail server does not accept connections")
            step = security == .tls ? .secureHello : .hello
            return .send("EHLO \(client)")
        case .hello:
            try expect(reply, "The mail server refused the greeting")
            guard security == .starttls else { return try signIn(reply) }
            guard Self.words(of: "STARTTLS", in: reply) != nil else {
                throw MailFailure(
                    sentence:
                        "The mail server does not offer STARTTLS, so nothing was sent. Set mail.security to tls, with the "
                        + "server’s port for it, or to none.")
            }
            step = .startTLS
            return .send("STARTTLS")
        case .startTLS:
            try expect(reply, "The mail server refused STARTTLS")
            return .secure
        case .secureHello:
            try expect(reply, "The mail server refused the greeting")
            return try signIn(reply)
        case .plain, .loginEnd:
            try expect(reply, "The mail server refused the sign-in")
            return begin()
        case .loginUser:
            try expect(reply, code: 334, "The mail server refused the sign-in")
            step = .loginPassword
            return .send(Data((credentials?.user ?? "").utf8).base64EncodedString())
        case .loginPassword:
            try expect(reply, code: 334, "The mail server refused the sign-in")
            step = .loginEnd
            return .send(Data((credentials?.password ?? "").utf8).base64EncodedString())
        case .from:
            try expect(reply, "The mail server refused the sender \(message?.sender.description ?? "")")
            return receiver(0)
        case .receiver(let index):
            if let receiver = message?.receivers.dropFirst(index).first {
                if reply.isPositive { accepted.append(receiver) } else { outcome.note(reply, of: [receiver]) }
            }
            return receiver(index + 1)
        case .data:
            guard reply.code == 354 else { return finish(reply) }
            step = .content
            return .send(Self.stuffed(message?.text ?? "") + ".")
        case .content: return finish(reply)
        case .done: return .finish(outcome)
        }
    }

    private mutating func signIn(_ reply: SMTPReply) throws(MailFailure) -> Action {
        guard let credentials else { return begin() }
        let ways = Self.words(of: "AUTH", in: reply) ?? []
        if ways.contains("PLAIN") {
            step = .plain
            let text = "\0\(credentials.user)\0\(credentials.password)"
            return .send("AUTH PLAIN \(Data(text.utf8).base64EncodedString())")
        }
        guard ways.contains("LOGIN") else {
            throw MailFailure(
                sentence:
                    "The mail server offers no sign-in that is known here (PLAIN or LOGIN). Check mail.server, or remove "
                    + "mail.user.")
        }
        step = .loginUser
        return .send("AUTH LOGIN")
    }

    private mutating func begin() -> Action {
        guard let message else { return finish(nil) }
        step = .from
        return .send("MAIL FROM:<\(message.sender)>")
    }

    private mutating func receiver(_ index: Int) -> Action {
        guard let receiver = message?.receivers.dropFirst(index).first else {
            guard !accepted.isEmpty else { return finish(nil) }
            step = .data
            return .send("DATA")
        }
        step = .receiver(index)
        return .send("RCPT TO:<\(receiver)>")
    }

    private mutating func finish(_ reply: SMTPReply?) -> Action {
        step = .done
        if let reply {
            if reply.isPositive { outcome.reached = accepted } else { outcome.note(reply, of: accepted) }
        }
        return .finish(outcome)
    }

    private func expect(_ reply: SMTPReply, code: Int? = nil, _ words: String) throws(MailFailure) {
        guard code.map({ $0 == reply.code }) ?? reply.isPositive else {
            throw MailFailure(sentence: "\(words): \(reply.words)", mayPass: !reply.isPermanent)
        }
    }

    /// The parameters of an extension that the server offers, or nil if it does not offer it.
    private static func words(of name: String, in reply: SMTPReply) -> [String]? {
        let lines = reply.lines.dropFirst().map { $0.uppercased().split(whereSeparator: { " =".contains($0) }) }
        let found = lines.filter { $0.first == name[...] }
        return found.isEmpty ? nil : found.flatMap { $0.dropFirst().map(String.init) }
    }

    /// The text with a second dot before each line that begins with one (RFC 5321, 4.5.2).
    private static func stuffed(_ text: String) -> String {
        (text.hasPrefix(".") ? "." : "") + text.replacing("\r\n.", with: "\r\n..")
    }
}
