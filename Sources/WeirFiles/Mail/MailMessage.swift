import Foundation
import WeirBoards

/// An e-mail as RFC 5322 and MIME define it.
struct MailMessage: Sendable, Hashable {
    let content: NotificationMail
    let sender: MailAddress
    let receivers: [MailAddress]
    /// The id of the delivery, the same for each attempt, by which mail programs recognise a repeated message.
    let delivery: String
    /// The time in milliseconds since 1970.
    let at: Int64

    /// The header and the bodies: ASCII lines that end with CRLF.
    var text: String {
        // Neither encoding of the parts contains an equals sign before an underscore.
        let boundary = "=_weir_part"
        let header = [
            "Date: \(date)", "From: Weir <\(sender)>",
            "To: \(receivers.map(\.description).joined(separator: ",\r\n "))",
            "Subject: \(MailEncoding.headerText(content.subject))", "Message-ID: <\(identifier)@\(sender.domain)>",
            // RFC 3834: vacation messages are not sent in reply.
            "Auto-Submitted: auto-generated", "X-Weir-Delivery: \(identifier)", "MIME-Version: 1.0",
            "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
        ]
        func part(_ type: String, _ text: String) -> String {
            """
            --\(boundary)\r
            Content-Type: text/\(type); charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            \r
            \(MailEncoding.quotedPrintable(text))\r

            """
        }
        return header.joined(separator: "\r\n") + "\r\n\r\n" + part("plain", content.text)
            + part("html", content.html) + "--\(boundary)--\r\n"
    }

    private var identifier: String {
        String(
            delivery.unicodeScalars.filter {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-._".unicodeScalars.contains($0))
            })
    }

    private var date: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(at) / 1_000))
    }
}
