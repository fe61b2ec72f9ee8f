import Foundation
import WeirStates

// https://docs.ntfy.sh/publish/: the body is the text, of at most 4,096 bytes; the rest stands in header fields, encoded as
// RFC 2047 says where they are not ASCII. Priorities go from 1 to 5.
extension NotificationFormat {
    static func ntfy(_ facts: NotificationFacts) -> NotificationMessage {
        var text = [facts.message, facts.note].compactMap { $0 }.joined(separator: "\n").cut(to: 3_500)
        while text.utf8.count > 4_000 { text.removeLast() }
        let (priority, tag) =
            switch facts.tone {
            case .good: ("3", "white_check_mark")
            case .bad: ("4", "x")
            case .warning: ("4", "warning")
            case .neutral: ("3", "information_source")
            }
        var headers = [
            "Content-Type": "text/plain; charset=utf-8", "Title": ntfyField(facts.headline.cut(to: 200)),
            "Priority": priority, "Tags": tag,
        ]
        if !facts.url.isEmpty { headers["Click"] = ntfyField(facts.url) }
        return NotificationMessage(body: text, headers: headers)
    }

    private static func ntfyField(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) || text.hasPrefix("=?") else { return text }
        return "=?UTF-8?B?\(Data(text.utf8).base64EncodedString())?="
    }
}
