package import WeirJournals
package import WeirStates

extension OperationHealth {
    /// Runs that failed with the same sentence, apart from numbers.
    package struct ErrorGroup: Sendable, Hashable {
        /// The sentence, with `#` for each number, or nil for failures without a message.
        package let sentence: String?
        package let caseName: String
        package let count: Int
        package let newest: RunRecord

        /// Groups failed runs, the most frequent group first, then the one with the newest run.
        static func groups(of runs: [RunRecord]) -> [ErrorGroup] {
            let groups = Dictionary(grouping: runs) { run in
                let sentence = (run.state.lastWords ?? run.state.sentence).flatMap(SentencePattern.init)?.text
                return sentence.map { [$0] } ?? ["", run.state.caseName]
            }
            return groups.compactMap { key, runs in
                runs.max { $0.openedSequence < $1.openedSequence }.map { newest in
                    ErrorGroup(
                        sentence: key.count == 1 ? key[0] : nil, caseName: newest.state.caseName, count: runs.count,
                        newest: newest)
                }
            }
            .sorted { ($0.count, $0.newest.openedSequence) > ($1.count, $1.newest.openedSequence) }
        }

        /// A sentence as groups have it: with `#` for each number.
        package static func pattern(_ sentence: String) -> String? { SentencePattern(sentence)?.text }

        /// The search text that finds these runs in the list of runs, or an empty string.
        package var search: String { sentence.map { SentencePattern.search(for: $0) } ?? "" }
    }

    package struct FailingInput: Sendable, Hashable {
        package let input: JSONValue
        package let failed: Int
        /// The number of runs with this input that succeeded or failed.
        package let ended: Int
        package let newest: RunRecord

        /// The inputs of failed runs, ordered by most failures, then fewest ended runs, then the newest run.
        static func all(of runs: [RunRecord]) -> [FailingInput] {
            let decided = runs.filter { [.succeeded, .failed].contains($0.state.phase) }
            let inputs = Dictionary(grouping: decided, by: \.opening.input).compactMap { input, runs -> FailingInput? in
                let failed = runs.filter { $0.state.phase == .failed }
                guard input.object?.isEmpty == false,
                    let newest = failed.max(by: { $0.openedSequence < $1.openedSequence })
                else { return nil }
                return FailingInput(input: input, failed: failed.count, ended: runs.count, newest: newest)
            }
            return inputs.sorted {
                ($0.failed, -$0.ended, $0.newest.openedSequence) > ($1.failed, -$1.ended, $1.newest.openedSequence)
            }
        }

        package var search: String {
            let texts = (input.object ?? [:]).sorted { $0.key < $1.key }.compactMap(\.value.string)
            return SentencePattern.limited(texts.flatMap { $0.split(whereSeparator: \.isWhitespace) })
        }
    }
}

/// A sentence with its variable parts replaced: “Timeout after 31 s” and “Timeout after 45 s” both become “Timeout
/// after # s”.
struct SentencePattern {
    /// The sentence, with `#` for each number, and for each identifier of eight or more characters that contains
    /// digits.
    let text: String

    private static let maximum = 300
    // Unsafe: a pattern of characters alone has no mutable state, and is compiled once, on first use.
    private nonisolated(unsafe) static let digits = /\p{N}+/
    private nonisolated(unsafe) static let numberInParts = /#(?:[.,:]#)+/

    init?(_ sentence: String) {
        let words = sentence.prefix(Self.maximum).split(whereSeparator: \.isWhitespace).map(Self.replaced)
        guard !words.isEmpty else { return nil }
        text = words.joined(separator: " ")
    }

    /// The search text for sentences of a pattern: its words without a number.
    static func search(for pattern: String) -> String {
        limited(pattern.split(separator: " ").filter { !$0.contains("#") })
    }

    static func limited(_ words: [Substring]) -> String {
        var text = ""
        for word in words.prefix(12) where text.count + word.count < 200 {
            text += (text.isEmpty ? "" : " ") + String(word)
        }
        return text
    }

    private static func replaced(_ word: Substring) -> String {
        var (text, part) = ("", "")
        for character in word {
            if character.isLetter || character.isNumber || "-_".contains(character) {
                part.append(character)
            } else {
                text += replaced(part: part) + String(character)
                part = ""
            }
        }
        text += replaced(part: part)
        // “0.5” and “1,250” are one number each.
        return text.replacing(numberInParts, with: "#")
    }

    private static func replaced(part: String) -> String {
        guard part.contains(where: \.isNumber) else { return part }
        if part.count >= 8 { return "#" }
        return part.replacing(digits, with: "#")
    }
}

extension StateRecord {
    /// The state's message, such as the description of an error, or nil.
    package var sentence: String? { payload.sentence }

    /// The last line that a failed program printed, which tells more than its exit code; nil for other failures.
    package var lastWords: String? {
        guard payload["code"] != nil, let last = payload["last"]?.string, !last.isEmpty else { return nil }
        return last
    }

    /// The number of the line ``lastWords`` in the output, or nil if it is not known.
    package var lastLine: SequenceNumber? {
        lastWords == nil ? nil : payload["line"]?.integer.flatMap { SequenceNumber(exactly: $0) }
    }
}

extension JSONValue {
    fileprivate var sentence: String? {
        let names = ["message", "show", "description", "detail", "reason"]
        guard let members = object else { return nil }
        if let name = names.first(where: { members[$0]?.string?.isEmpty == false }) { return members[name]?.string }
        // The payload of an enum case is nested one level deeper.
        return members.sorted { $0.key < $1.key }.lazy.compactMap { $0.value.object == nil ? nil : $0.value.sentence }
            .first
    }
}
