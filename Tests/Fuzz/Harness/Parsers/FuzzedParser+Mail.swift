import WeirBoards

@testable import WeirFiles

extension FuzzedParser {
    /// Replies of a mail server: the same in any pieces, and no reply makes the client say more than SMTP allows.
    static let mail = FuzzedParser("mail", upTo: 4_096) { input in
        var input = input
        let size = 1 + input.choice(64)
        let security = MailSecurity.allCases[input.choice(MailSecurity.allCases.count)]
        let bytes = input.rest
        let whole = replies(bytes, inPiecesOf: max(1, bytes.count))
        expect(replies(bytes, inPiecesOf: size) == whole, "the pieces change the replies")
        guard let sender = MailAddress("weir@example.com"), let receiver = MailAddress("ops@example.com") else {
            return
        }
        let facts = NotificationFacts(
            delivery: "r-1", event: .failed, operation: "job", title: input.text, actor: "Ana", endedAt: 0)
        let message = MailMessage(
            content: NotificationMail(facts), sender: sender, receivers: [receiver], delivery: "r-1", at: 0)
        var session = SMTPDialogue(
            message, as: "[127.0.0.1]", credentials: MailCredentials(user: "u", password: "p"), security: security)
        var isSecure = security != .starttls
        do throws(MailFailure) {
            for reply in whole {
                switch try session.take(reply) {
                case .send(let command):
                    expect(
                        isSecure || command == "STARTTLS" || command.hasPrefix("EHLO"), "\(command) is sent in clear")
                    let lines = command.utf8.split(separator: UInt8(ascii: "\n"))
                    expect(lines.count == 1 || command.hasSuffix("\r\n."), "a command has several lines")
                    expect(!command.contains("\r\n.\r\n"), "a message ends early")
                case .secure:
                    isSecure = true
                    _ = session.secured()
                case .finish(let outcome):
                    let count = outcome.reached.count + outcome.deferred.count + outcome.refused.count
                    return expect(count == 1, "\(count) outcomes of one receiver")
                }
            }
        } catch {
            expectSentence(error.sentence)
        }
    }

    private static func replies(_ bytes: [UInt8], inPiecesOf size: Int) -> [SMTPReply] {
        var (reader, replies) = (SMTPReplyReader(), [SMTPReply]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            reader.append(bytes[start..<min(bytes.count, start + size)])
            do throws(SMTPReplyReader.Malformed) {
                while let reply = try reader.next() { replies.append(reply) }
            } catch {
                break
            }
        }
        return replies
    }
}
