import Foundation
import Testing
import WeirBoards

@testable import WeirFiles

struct MailMessageTests {
    private func message(_ facts: NotificationFacts, to receivers: [String] = ["ops@example.com"]) throws -> MailMessage
    {
        MailMessage(
            content: NotificationMail(facts), sender: try #require(MailAddress("weir@example.com")),
            receivers: receivers.compactMap { MailAddress($0) }, delivery: facts.delivery, at: facts.endedAt)
    }

    private func facts(_ title: String, _ message: String? = nil, output: [String]? = nil) -> NotificationFacts {
        var facts = NotificationFacts(
            delivery: "r-1", event: .failed, operation: "backup", title: title, run: "r",
            url: "https://weir.example/runs/r", message: message, actor: "Ana", endedAt: 1_700_000_000_000)
        facts.output = output
        return facts
    }

    private func field(_ name: String, of text: String) -> [Substring] {
        text.split(separator: "\r\n\r\n")[0].split(separator: "\r\n").filter { $0.hasPrefix(name + ": ") }
    }

    private func decoded(_ quoted: String) throws -> String {
        var (bytes, rest) = ([UInt8](), Array(quoted.replacing("=\r\n", with: "").utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a title with line breaks adds no header field and no receiver`() throws {
        let hostile = "Backup\r\nBcc: all@example.com\r\n\r\nHello\u{2028}Bcc: you@example.com\u{85}\u{0B}\0"
        let text = try message(facts(hostile)).text
        let head = try #require(text.components(separatedBy: "\r\n\r\n").first)
        let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "X-Weir-Delivery", "MIME-Version",
                "Content-Type",
            ])
        #expect(field("To", of: text) == ["To: ops@example.com"])
        #expect(field("Date", of: text) == ["Date: Tue, 14 Nov 2023 22:13:20 +0000"])
        #expect(field("Message-ID", of: text) == ["Message-ID: <r-1@example.com>"])
    }

    @Test(arguments: ["Cópia de segurança", "=?UTF-8?Q?x?=", String(repeating: "🚰é", count: 90), "a\rb", "Plain"])
    func `a subject is ASCII in encoded words of at most 75 characters, and says the same`(_ subject: String) throws {
        let encoded = MailEncoding.headerText(subject)
        #expect(encoded.utf8.allSatisfy { $0 < 0x7f })
        guard encoded.hasPrefix("=?") else { return #expect(encoded == subject.replacing("\r", with: " ")) }
        let words = encoded.components(separatedBy: "\r\n ")
        let text = try words.map { word in
            #expect(word.utf8.count <= 75)
            let data = try #require(Data(base64Encoded: String(word.dropFirst("=?UTF-8?B?".count).dropLast(2))))
            // Each word is whole by itself.
            return try #require(String(data: data, encoding: .utf8))
        }
        #expect(text.joined() == subject.replacing("\r", with: " "))
    }

    @Test(arguments: [
        "", "a b \t", ".\n..\nFrom x\n", String(repeating: "x", count: 5_000), "=3D=\n é🚰\u{0}", "trailing \r\nnext",
    ]) func `quoted-printable lines are short and ASCII, and decode to the same text`(_ text: String) throws {
        let encoded = MailEncoding.quotedPrintable(text)
        for line in encoded.components(separatedBy: "\r\n") {
            #expect(line.utf8.count <= 76 && line.utf8.allSatisfy { $0 == 0x09 || (0x20..<0x7f).contains($0) })
            #expect(!line.hasSuffix(" ") && !line.hasSuffix("\t"))
        }
        #expect(try decoded(encoded) == text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n"))
    }

    @Test func `both bodies have the reason, the last lines and the link, and HTML of a program is text`() {
        let facts = facts("Backup", "Disk <b>full</b>", output: ["dump\">", "<script>alert(1)</script>"])
        let (text, html) = (NotificationMail(facts).text, NotificationMail(facts).html)
        #expect(text.contains("Disk <b>full</b>") && text.contains("Open the run: https://weir.example/runs/r"))
        #expect(html.contains("Disk &lt;b&gt;full&lt;/b&gt;"))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !html.contains("<script>"))
        #expect(html.contains("<a href=\"https://weir.example/runs/r\">Open the run</a>"))
    }

    @Test func `an address is plain, or is none`() {
        for text in ["ops@example.com", "root@localhost", "o'brien+weir@sub.example.com"] {
            #expect(MailAddress(text)?.description == text)
        }
        for text in [
            "", "ops", "@example.com", "ops@", "a@b@c", "ops@example..com", ".ops@example.com", "ops@-x.com",
            "ops@example.com\r\nRCPT TO:<x@y>", "<ops@example.com>", "Ops <ops@example.com>", "ops @example.com",
            "óps@example.com", "ops@exämple.com", "\"a b\"@example.com", "ops@[127.0.0.1]",
            String(repeating: "x", count: 65) + "@example.com",
        ] { #expect(MailAddress(text) == nil, "\(text)") }
    }
}
