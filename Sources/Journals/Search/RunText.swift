package import States

/// The text by which a run is found: its id, its input, its current state and that state's cause, and both ends of its
/// output.
package struct RunText: Sendable {
    /// How many bytes of output are searched at each end: the first lines and the last.
    package static let searchedOutput = 64 * 1_024

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

    /// Adds the texts and numbers within a value; names of members are left out, because every run of an operation has
    /// them.
    package mutating func add(_ value: JSONValue) {
        switch value {
        case .null, .bool: break
        case .integer(let number): add(String(number))
        case .number(let number): add(String(number))
        case .string(let text): add(text)
        case .array(let elements): for element in elements { add(element) }
        case .object(let members): for (_, member) in members.sorted(by: { $0.key < $1.key }) { add(member) }
        }
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
