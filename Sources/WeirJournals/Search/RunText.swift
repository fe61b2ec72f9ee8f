package import WeirStates

/// The text by which a run is found: its id, its input, its current state and that state's cause, and both ends of its
/// output.
package struct RunText: Sendable {
    /// How many bytes of output are searched at each end: the first lines and the last.
    package static let searchedOutput = 64 * 1_024
    /// How many bytes of the input are searched, and of the state: their first texts and numbers.
    package static let searchedValue = 64 * 1_024

    private var folded: String

    /// Begins with the text of a run's record.
    package init(_ record: RunRecord) {
        folded = SearchWords.folded(record.id)
        add(record.opening.input)
        add(record.state.payload)
        if let cause = record.cause { add(cause) }
    }

    /// The words, folded, separated by single spaces.
    package var words: String { folded }

    /// Adds a piece of text.
    package mutating func add(_ text: String) {
        let words = SearchWords.folded(text)
        guard !words.isEmpty else { return }
        if !folded.isEmpty { folded.append(" ") }
        folded.append(words)
    }

    /// Adds the texts and numbers within a value, as far as they are searched; names of members are left out, because every
    /// run of an operation has them.
    package mutating func add(_ value: JSONValue) {
        var budget = Self.searchedValue
        add(value, &budget)
    }

    private mutating func add(_ value: JSONValue, _ budget: inout Int) {
        guard budget > 0 else { return }
        switch value {
        case .null, .bool: budget -= 1
        case .integer(let number): add(String(number)[...], &budget)
        case .number(let number): add(String(number)[...], &budget)
        case .string(let text): add(text[...], &budget)
        case .array(let elements): for element in elements.prefix(budget) { add(element, &budget) }
        case .object(let members):
            for (_, member) in members.sorted(by: { $0.key < $1.key }).prefix(budget) { add(member, &budget) }
        }
    }

    private mutating func add(_ text: Substring, _ budget: inout Int) {
        if text.utf8.count <= budget {
            add(String(text))
        } else {
            add(String(decoding: text.utf8.prefix(budget), as: UTF8.self))
        }
        budget -= text.utf8.count + 1
    }

    /// Adds the first and the last lines of an output, as far as they are searched.
    ///
    /// `lines` returns lines of that run after a number, or before one, nearest first.
    package mutating func addOutput(count: SequenceNumber, line: (SequenceNumber) throws -> OutputLine?) rethrows {
        var budget = Self.searchedOutput
        var first: SequenceNumber = 1
        while first <= count, budget > 0, let text = try line(first)?.text {
            add(text)
            budget -= text.utf8.count + 1
            first = first.next
        }
        budget = Self.searchedOutput
        var last = count
        var ending: [String] = []
        while last >= first, budget > 0, let text = try line(last)?.text {
            ending.append(text)
            budget -= text.utf8.count + 1
            last = last.previous
        }
        for text in ending.reversed() { add(text) }
    }
}
