import Foundation

/// Replaces secrets in texts before they are recorded or shown.
///
/// Every secret of at least eight characters is found in plain text, JSON, URLs, HTML, base 64 and hexadecimal digits;
/// for a secret of several lines, so is each line of that length. A secret that a program splits, reverses or encrypts
/// is not found: masking is the last line of defence, not the first.
package struct SecretMask: Sendable, Hashable {
    /// The replacement for a secret.
    package static let replacement = "•••"
    /// The minimum length of a masked secret in characters, because shorter ones occur in texts by chance.
    package static let minimum = 8

    private let needles: [String]

    /// A mask without secrets.
    package static let none = SecretMask([])

    package init(_ secrets: some Sequence<String>) {
        var found: Set<String> = []
        for secret in secrets {
            let trimmed = secret.trimmingCharacters(in: .whitespacesAndNewlines)
            for text in [secret, trimmed] + secret.split(whereSeparator: \.isNewline).map(String.init)
            where text.count >= Self.minimum {
                found.formUnion(Self.forms(of: text))
            }
        }
        // The longest first, so that a whole secret is replaced before a line of it.
        needles = found.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }

    package var isEmpty: Bool { needles.isEmpty }

    package func masked(_ text: String) -> String {
        guard !needles.isEmpty else { return text }
        // By bytes, not characters: a combining mark after a secret would change its last character.
        return needles.reduce(text) { text, needle in Self.replace(needle, in: text) }
    }

    /// The value with secrets masked in member names and texts at any depth.
    package func masked(_ value: JSONValue) -> JSONValue {
        guard !needles.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        // A secret of digits can appear as a number.
        case .integer(let number): return needles.contains(String(number)) ? .string(Self.replacement) : value
        case .number(let number): return needles.contains(String(number)) ? .string(Self.replacement) : value
        case .string(let text): return .string(masked(text))
        case .array(let elements): return .array(elements.map(masked))
        case .object(let members):
            return .object(Dictionary(members.map { (masked($0.key), masked($0.value)) }) { first, _ in first })
        }
    }

    /// The record with the secrets in its payload masked.
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
