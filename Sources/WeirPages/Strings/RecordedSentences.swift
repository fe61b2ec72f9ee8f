import WeirStates

/// Finds the sentence that produced a recorded text, so that it can be shown in the reader's language.
///
/// States and schedules record errors in English. The strings `failed.…`, and those of mistakes in inputs and of refused
/// starts, are the sentences that can be recorded, with `{places}` for values.
struct RecordedSentences: Sendable {
    /// The key prefixes of sentences that can be recorded.
    private static let sections = ["failed.", "input.", "refusal."]
    /// The maximum length of a text, in bytes; a longer one is not a sentence.
    private static let limit = 2_000

    /// The sentences, those with the most literal text first.
    private let sentences: [Sentence]

    /// - Parameter texts: The strings in English.
    init(_ texts: [String: String]) {
        sentences = texts.filter { text in Self.sections.contains { text.key.hasPrefix($0) } }
            .compactMap { Sentence(key: $0.key, english: $0.value) }
            .filter { $0.length > 0 }
            .sorted { ($1.length, $0.key) < ($0.length, $1.key) }
    }

    /// The message that produced a text, or nil if no sentence matches.
    func message(_ text: String) -> Message? {
        text.utf8.count <= Self.limit ? message(text, isPart: false) : nil
    }

    private func message(_ text: String, isPart: Bool) -> Message? {
        let bytes = Array(text.utf8)
        for sentence in sentences {
            guard let parts = sentence.parts(of: bytes) else { continue }
            return Message(
                key: sentence.key, english: sentence.english,
                parts.mapValues { part in
                    (isPart ? nil : message(part, isPart: true)).map { .message($0) } ?? .text(part)
                })
        }
        return nil
    }
}

/// An English sentence with places.
private struct Sentence: Sendable {
    let key: String
    let english: String
    /// The literal text before, between and after the places.
    private let literals: [[UInt8]]
    private let places: [String]

    /// Parses a sentence; returns nil if a place is not closed.
    init?(key: String, english: String) {
        (self.key, self.english) = (key, english)
        let pieces = english.split(separator: "{", omittingEmptySubsequences: false)
        var (places, literals) = ([String](), pieces.prefix(1).map { Array($0.utf8) })
        for piece in pieces.dropFirst() {
            guard let close = piece.firstIndex(of: "}") else { return nil }
            places.append(String(piece[..<close]))
            literals.append(Array(piece[close...].dropFirst().utf8))
        }
        (self.places, self.literals) = (places, literals)
    }

    /// The number of literal bytes.
    var length: Int { literals.reduce(0) { $0 + $1.count } }

    /// The values of the places in a text, or nil if the text does not match the sentence.
    func parts(of text: [UInt8]) -> [String: String]? {
        guard let first = literals.first, let last = literals.last, text.count >= length, text.starts(with: first)
        else { return nil }
        guard !places.isEmpty else { return text.count == first.count ? [:] : nil }
        let end = text.count - last.count
        guard text[end...].elementsEqual(last) else { return nil }
        var parts: [String: String] = [:]
        var rest = text[first.count..<end]
        for (number, (place, next)) in zip(places, literals.dropFirst()).enumerated() {
            // The text after the last place is already removed.
            guard let range = number == places.count - 1 ? end..<end : rest.firstRange(of: next),
                range.lowerBound > rest.startIndex
            else { return nil }
            let part = String(decoding: rest[..<range.lowerBound], as: UTF8.self)
            guard parts[place, default: part] == part else { return nil }
            parts[place] = part
            rest = rest[range.upperBound...]
        }
        return parts
    }
}
