import Foundation

/// Takes secrets out of texts that are about to be recorded or shown.
///
/// Every secret of eight characters or more is looked for as it is, and as it stands in JSON, in a URL, in base 64 and in
/// hexadecimal digits; of one with several lines, each line of that length too. What a program splits, reverses or encrypts
/// is not found: a mask is the last line of defence and not the first.
package struct SecretMask: Sendable, Hashable {
    /// What stands in the place of a secret.
    package static let replacement = "•••"
    /// How many characters a secret must have to be looked for: shorter ones stand in texts by chance.
    package static let minimum = 8

    private let needles: [String]

    /// Masks nothing.
    package static let none = SecretMask([])

    /// Masks these secrets.
    package init(_ secrets: some Sequence<String>) {
        var found: Set<String> = []
        for secret in secrets {
            let trimmed = secret.trimmingCharacters(in: .whitespacesAndNewlines)
            for text in [secret, trimmed] + secret.split(whereSeparator: \.isNewline).map(String.init)
            where text.count >= Self.minimum {
                found.formUnion(Self.forms(of: text))
            }
        }
        // The longest first: a whole secret before the line that is a part of it.
        needles = found.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    /// Whether there is nothing to mask.
    package var isEmpty: Bool { needles.isEmpty }

    /// The text without the secrets.
    package func masked(_ text: String) -> String {
        guard !needles.isEmpty else { return text }
        // By bytes and not by characters: a mark that follows a secret joins its last letter to another character.
        return needles.reduce(text) { text, needle in Self.replace(needle, in: text) }
    }

    /// The value without the secrets, in names and texts however deep.
    package func masked(_ value: JSONValue) -> JSONValue {
        guard !needles.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        // A secret of digits is a number in JSON.
        case .integer(let number): return needles.contains(String(number)) ? .string(Self.replacement) : value
        case .number(let number): return needles.contains(String(number)) ? .string(Self.replacement) : value
        case .string(let text): return .string(masked(text))
        case .array(let elements): return .array(elements.map(masked))
        case .object(let members):
            return .object(Dictionary(members.map { (masked($0.key), masked($0.value)) }) { first, _ in first })
        }
    }

    /// The record without the secrets.
    package func masked(_ record: StateRecord) -> StateRecord {
        guard !needles.isEmpty else { return record }
        return StateRecord(
            caseName: record.caseName, payload: masked(record.payload), phase: record.phase, progress: record.progress)
    }

    private static func forms(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        let data = Data(bytes)
        let base64 = data.base64EncodedString()
        let hex = Hex(bytes).text
        let quoted = (try? JSONValue.string(text).text()).map { String($0.dropFirst().dropLast()) }
        let percent = PercentEncoding.encode(text)
        let web = base64.replacing("+", with: "-").replacing("/", with: "_")
        let html = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return [
            text, base64, String(base64.prefix { $0 != "=" }), web, String(web.prefix { $0 != "=" }), hex,
            hex.uppercased(), percent, percent.replacing("%20", with: "+"), quoted,
            quoted?.replacing("/", with: "\\/"), html, html.replacing("\"", with: "&quot;"),
        ].compactMap { $0 }
    }

    private static func replace(_ needle: String, in text: String) -> String {
        let (pattern, bytes) = (Array(needle.utf8), Array(text.utf8))
        guard let first = pattern.first, bytes.count >= pattern.count else { return text }
        var result: [UInt8] = []
        var kept = 0
        var place = 0
        while place <= bytes.count - pattern.count {
            // Never traps: at least as many bytes follow the place as the pattern has.
            guard bytes[place] == first, bytes[place..<place + pattern.count].elementsEqual(pattern) else {
                place += 1
                continue
            }
            result += bytes[kept..<place]
            result += replacement.utf8
            place += pattern.count
            kept = place
        }
        guard kept > 0 else { return text }
        result += bytes[kept...]
        return String(decoding: result, as: UTF8.self)
    }
}
