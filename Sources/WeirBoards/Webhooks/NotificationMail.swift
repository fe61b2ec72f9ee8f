import Foundation

/// The subject and the two bodies of an e-mail.
package struct NotificationMail: Sendable, Hashable {
    package let subject: String
    package let text: String
    package let html: String

    package init(_ facts: NotificationFacts) {
        subject = facts.headline.cut(to: 200, .utf16)
        let link = facts.url.isEmpty ? nil : "\(facts.linkTitle): \(facts.url)"
        let output = facts.shownOutput.map { "The last lines of output:\n\n\($0)" }
        let parts = [facts.headline, facts.message, facts.note, facts.summary?.text, link, output]
        text = parts.compactMap { $0 }.joined(separator: "\n\n") + "\n"
        html = Self.html(facts)
    }

    /// A message of paragraphs; one that is an address becomes a link.
    package init(subject: String, text: String) {
        self.subject = subject.cut(to: 200, .utf16)
        self.text = text
        let paragraphs = text.split(separator: "\n\n").map { Self.escaped($0.trimmingCharacters(in: .newlines)) }
        let body = paragraphs.map { paragraph in
            let isLink = paragraph.hasPrefix("http") && !paragraph.contains(" ")
            return "<p>\(isLink ? "<a href=\"\(paragraph)\">\(paragraph)</a>" : paragraph)</p>\n"
        }
        html = Self.document(subject, body.joined())
    }

    /// A document without scripts, pictures and requests, as mail programs show it.
    private static func html(_ facts: NotificationFacts) -> String {
        var body = "<h2 style=\"margin:0 0 12px;color:\(facts.tone.style)\">\(escaped(facts.headline))</h2>\n"
        if let message = facts.message {
            body += "<p style=\"margin:0 0 12px;white-space:pre-wrap\">\(escaped(message))</p>\n"
        }
        body += "<p style=\"margin:0 0 12px;color:#555\">\(escaped(facts.note))</p>\n"
        body += facts.summary?.html(escaped) ?? ""
        if facts.url.hasPrefix("http") {
            body +=
                "<p style=\"margin:0 0 12px\"><a href=\"\(escaped(facts.url))\">\(escaped(facts.linkTitle))</a></p>\n"
        }
        if let output = facts.shownOutput {
            body += "<pre style=\"margin:0;padding:12px;background:#f4f4f4;overflow:auto\">\(escaped(output))</pre>\n"
        }
        return document(facts.headline, body)
    }

    private static func document(_ title: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title></head>
        <body style="font-family:sans-serif;font-size:15px;color:#222">
        \(body)</body></html>

        """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension NotificationFacts.Tone {
    fileprivate var style: String {
        switch self {
        case .good: "#2e7d32"
        case .bad: "#c62828"
        case .warning: "#8a5a00"
        case .neutral: "#37474f"
        }
    }
}
