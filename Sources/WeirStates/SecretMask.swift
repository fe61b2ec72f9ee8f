import Foundation

/// Replaces secrets in texts before they are recorded or shown.
///
/// Every secret of at least eight characters is found in UTF-8 and UTF-16, in base 64 and hexadecimal digits of both, and
/// with any of its characters escaped for a URL, JSON, a shell or HTML; for a secret of several lines, so is each line of
/// that length. A secret that a program splits, reverses or encrypts is not found: masking is the last line of defence,
/// not the first.
package struct SecretMask: Sendable {
    static let replacement = "•••"
    /// The minimum length of a masked secret in characters, because shorter ones occur in texts by chance.
    package static let minimum = 8
    /// The number of lines up to which each line of a secret is also found in base 64 and hexadecimal digits.
    private static let encodedLines = 100

    private let needles: [SecretNeedle]
    /// The positions in `needles` by first byte.
    private let places: [[Int]]
    /// Whether a needle begins with two bytes, by the first and the second.
    private let pairs: [[Bool]]

    package static let none = SecretMask([])

    package init(_ secrets: some Sequence<String>) {
        var found: Set<SecretNeedle> = []
        for secret in secrets {
            let text = secret.replacing("\r\n", with: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            if text.count >= Self.minimum { found.formUnion(SecretNeedle.forms(of: text)) }
            guard lines.count > 1 else { continue }
            for line in lines where line.count >= Self.minimum {
                found.formUnion(
                    lines.count > Self.encodedLines
                        ? [SecretNeedle(Array(line.utf8))] : SecretNeedle.forms(of: line))
            }
        }
        needles = Array(found)
        var places = Array(repeating: [Int](), count: 256)
        var pairs = Array(repeating: Array(repeating: false, count: 256), count: 256)
        for (place, needle) in needles.enumerated() {
            guard let first = needle.bytes.first, let second = needle.bytes.dropFirst().first else { continue }
            for first in needle.matching(first) {
                places[Int(first)].append(place)
                for second in needle.matching(second) { pairs[Int(first)][Int(second)] = true }
            }
        }
        (self.places, self.pairs) = (places, pairs)
    }

    package var isEmpty: Bool { needles.isEmpty }

    /// Masks a whole text.
    ///
    /// In a text that was cut off, which ends with an ellipsis, the beginning of a secret before the ellipsis is masked too.
    package func masked(_ text: String) -> String {
        guard !needles.isEmpty else { return text }
        // By bytes, not characters: a combining mark after a secret would change its last character.
        let bytes = Array(text.utf8)
        let ellipsis = Array("…".utf8)
        var stream = MaskedStream(self)
        var result: [UInt8]
        if bytes.suffix(ellipsis.count) == ellipsis[...] {
            result = stream.take(bytes.dropLast(ellipsis.count)) + stream.finish(isCut: true) + ellipsis
        } else {
            result = stream.take(bytes) + stream.finish()
        }
        return result == bytes ? text : String(decoding: result, as: UTF8.self)
    }

    /// The value with secrets masked in member names and texts at any depth.
    package func masked(_ value: JSONValue) -> JSONValue {
        guard !needles.isEmpty else { return value }
        switch value {
        case .null, .bool: return value
        // A secret of digits can appear as a number.
        case .integer(let number): return contains(String(number)) ? .string(Self.replacement) : value
        case .number(let number): return contains(String(number)) ? .string(Self.replacement) : value
        case .string(let text): return .string(masked(text))
        case .array(let elements): return .array(elements.map(masked))
        case .object(let members):
            return .object(Dictionary(members.map { (masked($0.key), masked($0.value)) }) { first, _ in first })
        }
    }

    package func masked(_ record: StateRecord) -> StateRecord {
        guard !needles.isEmpty else { return record }
        return StateRecord(
            caseName: record.caseName, payload: masked(record.payload), phase: record.phase, progress: record.progress)
    }

    private func contains(_ text: String) -> Bool { masked(text) != text }

    /// The longest secret that begins at a place.
    func match(in text: EscapedText, at place: Int) -> SecretNeedle.Match {
        var match = SecretNeedle.Match()
        guard let first = text.byte(place) else { return match }
        guard EscapedText.isSpecial(first) else {
            if let second = text.byte(place + 1), !EscapedText.isSpecial(second), text.lineEnd(at: place + 1) == nil,
                !pairs[Int(first)][Int(second)]
            {
                return match
            }
            add(first, in: text, at: place, to: &match)
            return match
        }
        var readings: [UInt8] = []
        let isWhole = text.read(at: place) { byte, _ in if !readings.contains(byte) { readings.append(byte) } }
        match.isOpen = !isWhole
        for byte in readings { add(byte, in: text, at: place, to: &match) }
        return match
    }

    private func add(_ first: UInt8, in text: EscapedText, at place: Int, to match: inout SecretNeedle.Match) {
        for candidate in places[Int(first)] { match.add(needles[candidate].match(in: text, at: place)) }
    }
}
