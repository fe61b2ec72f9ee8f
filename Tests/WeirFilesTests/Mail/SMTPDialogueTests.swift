import Foundation
import Testing
import WeirBoards

@testable import WeirFiles

struct SMTPDialogueTests {
    private let addresses = ["ops@example.com", "team@example.com", "old@example.com"].compactMap { MailAddress($0) }
    private let user = MailCredentials(user: "weir", password: "a long password")

    private func session(
        _ security: MailSecurity = .none, _ credentials: MailCredentials? = nil, message: String = "It failed."
    ) throws -> SMTPDialogue {
        let facts = NotificationFacts(
            delivery: "r-1", event: .failed, operation: "job", title: "A job", message: message, actor: "Ana",
            endedAt: 0)
        return SMTPDialogue(
            MailMessage(
                content: NotificationMail(facts), sender: try #require(MailAddress("weir@example.com")),
                receivers: addresses, delivery: "r-1", at: 0),
            as: "[127.0.0.1]", credentials: credentials, security: security)
    }

    private func reply(_ code: Int, _ lines: String...) -> SMTPReply { SMTPReply(code: code, lines: lines) }

    /// Takes replies in order; returns the commands.
    private func commands(_ session: inout SMTPDialogue, _ replies: [SMTPReply]) throws -> [String] {
        try replies.map { reply in
            switch try session.take(reply) {
            case .send(let command): command
            case .secure: "(TLS)"
            case .finish: "(end)"
            }
        }
    }

    @Test func `nothing is sent in clear to a server that does not offer STARTTLS, or refuses it`() throws {
        var session = try session(.starttls, user)
        #expect(try commands(&session, [reply(220, "here")]) == ["EHLO [127.0.0.1]"])
        #expect(throws: MailFailure.self) { try session.take(reply(250, "hello", "AUTH PLAIN", "8BITMIME")) }
        var refused = try self.session(.starttls, user)
        #expect(
            try commands(&refused, [reply(220, "here"), reply(250, "hello", "starttls")]) == [
                "EHLO [127.0.0.1]", "STARTTLS",
            ])
        #expect(throws: MailFailure.self) { try refused.take(reply(454, "not now")) }
    }

    @Test func `what a server offers before TLS does not count after it`() throws {
        var session = try session(.starttls, user)
        let before = [reply(220, "here"), reply(250, "hello", "STARTTLS", "AUTH PLAIN"), reply(220, "go")]
        #expect(try commands(&session, before).last == "(TLS)")
        #expect(session.secured() == .send("EHLO [127.0.0.1]"))
        #expect(try commands(&session, [reply(250, "hello", "AUTH LOGIN XOAUTH2")]) == ["AUTH LOGIN"])
        #expect(
            try commands(&session, [reply(334, "VXNlcm5hbWU6"), reply(334, "UGFzc3dvcmQ6"), reply(235, "ok")]) == [
                Data("weir".utf8).base64EncodedString(), Data("a long password".utf8).base64EncodedString(),
                "MAIL FROM:<weir@example.com>",
            ])
    }

    @Test func `a refused sign-in ends the session, for good if the server says so`() throws {
        for (code, mayPass) in [(535, false), (454, true)] {
            var session = try session(.tls, user)
            let sent = try commands(&session, [reply(220, "here"), reply(250, "hello", "AUTH=PLAIN LOGIN")])
            #expect(sent.last == "AUTH PLAIN " + Data("\0weir\0a long password".utf8).base64EncodedString())
            let failure = #expect(throws: MailFailure.self) { try session.take(reply(code, "no")) }
            #expect(failure?.mayPass == mayPass)
        }
    }

    @Test func `each receiver has an outcome of its own`() throws {
        var session = try session()
        let replies = [
            reply(220, "here"), reply(250, "hello"), reply(250, "sender ok"), reply(250, "ok"), reply(450, "later"),
            reply(550, "unknown"), reply(354, "go on"),
        ]
        #expect(
            try commands(&session, replies).dropLast() == [
                "EHLO [127.0.0.1]", "MAIL FROM:<weir@example.com>", "RCPT TO:<ops@example.com>",
                "RCPT TO:<team@example.com>", "RCPT TO:<old@example.com>", "DATA",
            ])
        guard case .finish(let outcome) = try session.take(reply(250, "taken")) else {
            Issue.record("The session has not ended.")
            return
        }
        #expect(outcome.reached == [addresses[0]])
        #expect(outcome.deferred == [.init(receiver: addresses[1], words: "450 later")])
        #expect(outcome.refused == [.init(receiver: addresses[2], words: "550 unknown")])
    }

    @Test func `no content follows when every receiver is refused, and none has a message that is refused at its end`()
        throws
    {
        var session = try session()
        var replies = [reply(220, "here"), reply(250, "hello"), reply(250, "ok")]
        #expect(try commands(&session, replies + Array(repeating: reply(550, "no"), count: 3)).last == "(end)")
        session = try self.session()
        replies += Array(repeating: reply(250, "ok"), count: 3) + [reply(354, "go on")]
        _ = try commands(&session, replies)
        guard case .finish(let outcome) = try session.take(reply(554, "spam")) else {
            Issue.record("The session has not ended.")
            return
        }
        #expect(outcome.reached.isEmpty && outcome.refused.map(\.receiver) == addresses)
    }

    @Test func `a line that begins with a dot does not end the message`() throws {
        var session = try session(message: ".\n.QUIT\n")
        var replies = [reply(220, "here"), reply(250, "hello"), reply(250, "ok")]
        replies += Array(repeating: reply(250, "ok"), count: 3) + [reply(354, "go on")]
        let content = try #require(try commands(&session, replies).last)
        #expect(content.contains("\r\n..\r\n..QUIT\r\n"))
        #expect(!content.contains("\r\n.\r\n") && content.hasSuffix("\r\n."))
        #expect(content.replacing("\r\n", with: "").utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
    }

    @Test func `replies arrive in any pieces`() throws {
        let bytes = Array("220-mail.example\r\n220 ready\r\n250 ok\n".utf8)
        for size in 1...bytes.count {
            var (reader, replies) = (SMTPReplyReader(), [SMTPReply]())
            for start in stride(from: 0, to: bytes.count, by: size) {
                reader.append(bytes[start..<min(bytes.count, start + size)])
                while let reply = try reader.next() { replies.append(reply) }
            }
            #expect(replies == [reply(220, "mail.example", "ready"), reply(250, "ok")])
            #expect(!reader.hasRest)
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "\r\n", "99 x\r\n", "2x0 x\r\n", "250+x\r\n", "999 x\r\n"])
    func `an answer that is not SMTP is no reply`(_ text: String) {
        var reader = SMTPReplyReader()
        reader.append(Array(text.utf8))
        #expect(throws: SMTPReplyReader.Malformed.self) { try reader.next() }
    }

    @Test func `an answer without an end is no reply`() {
        var reader = SMTPReplyReader()
        reader.append(Array(repeating: UInt8(ascii: "2"), count: 10_000))
        #expect(throws: SMTPReplyReader.Malformed.self) { try reader.next() }
        reader = SMTPReplyReader()
        reader.append(Array(String(repeating: "250-x\r\n", count: 1_000).utf8))
        #expect(throws: SMTPReplyReader.Malformed.self) { try reader.next() }
    }

    @Test func `a further attempt is for the receivers that were refused for now`() throws {
        let facts = NotificationFacts(
            delivery: "r-1", event: .failed, operation: "job", title: "A job", actor: "Ana", endedAt: 0)
        let rule = NotificationRule(name: "1", events: [.failed], channel: .email(addresses))
        var delivery = DeliveryRecord(facts: facts, rule: rule, nextAt: 0)
        delivery.attempts = 1
        let first = ["ops@example.com": "", "old@example.com": "550 unknown"]
        delivery.take(.mail(settled: first, again: "team@example.com was refused for now: 450 later."), now: 0)
        #expect(delivery.status == .waiting && delivery.settled == first)
        delivery.take(.mail(settled: ["team@example.com": ""], again: nil), now: 0)
        #expect(delivery.status == .failed && delivery.detail == "old@example.com was refused: 550 unknown.")
        delivery = DeliveryRecord(facts: facts, rule: rule, nextAt: 0)
        delivery.take(.mail(settled: ["ops@example.com": ""], again: nil), now: 0)
        #expect(delivery.status == .delivered)
    }
}
