package import WeirJournals
package import WeirStates

extension OperationHealth {
    /// Runs that failed with the same sentence, numbers aside.
    package struct ErrorGroup: Sendable, Hashable {
        /// The sentence, with `#` for each number; nil for failures that say nothing but their state.
        package let sentence: String?
        /// The case of the state they ended in.
        package let caseName: String
        /// How many runs failed so.
        package let count: Int
        /// The newest of them.
        package let newest: RunRecord

        /// The groups of some failed runs, the most frequent first, and of equally frequent ones the newest.
        static func groups(of runs: [RunRecord]) -> [ErrorGroup] {
            let groups = Dictionary(grouping: runs) { run in
                let sentence = run.state.sentence.flatMap(SentencePattern.init)?.text
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

        /// The words by which the list of runs finds them; empty if there are none.
        package var search: String { sentence.map { SentencePattern.search(for: $0) } ?? "" }
    }

    /// An input with which runs failed.
    package struct FailingInput: Sendable, Hashable {
        /// The input, secrets left out.
        package let input: JSONValue
        /// How many runs with it failed.
        package let failed: Int
        /// How many runs with it succeeded or failed.
        package let ended: Int
        /// The newest that failed.
        package let newest: RunRecord

        /// The inputs with which runs failed, those first that did most often, then those that seldom succeeded.
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

        /// The words by which the list of runs finds runs with this input.
        package var search: String {
            let texts = (input.object ?? [:]).sorted { $0.key < $1.key }.compactMap(\.value.string)
            return SentencePattern.limited(texts.flatMap { $0.split(whereSeparator: \.isWhitespace) })
        }
    }
}

/// A sentence without what differs each time: “Timeout after 31 s” and “Timeout after 45 s” are both “Timeout after # s”.
struct SentencePattern {
    /// The sentence, with `#` for each number, and for each identifier with digits of eight characters or more.
    let text: String

    /// How much of a sentence is read, in characters.
    private static let maximum = 300
    // Unsafe: a pattern made of characters alone has no state of its own; it is compiled once, as it is used first.
    private nonisolated(unsafe) static let digits = /\p{N}+/
    private nonisolated(unsafe) static let numberInParts = /#(?:[.,:]#)+/

    /// Reads a sentence; nil if it has no words.
    init?(_ sentence: String) {
        let words = sentence.prefix(Self.maximum).split(whereSeparator: \.isWhitespace).map(Self.replaced)
        guard !words.isEmpty else { return nil }
        text = words.joined(separator: " ")
    }

    /// The words by which a search finds sentences of a pattern: those without a number.
    static func search(for pattern: String) -> String {
        limited(pattern.split(separator: " ").filter { !$0.contains("#") })
    }

    /// As many words as fit into a search.
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
