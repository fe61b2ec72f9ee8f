public import States

/// The text by which a run is found: its id, what it was started with, the state it is in, what brought that about, and
/// the ends of its output.
public struct RunText: Sendable {
    /// How many bytes of output are searched at each end: its first lines and its last ones.
    public static let searchedOutput = 64 * 1_024

    private var folded: String

    /// Begins with what a run's record says.
    public init(_ record: RunRecord) {
        folded = SearchWords.folded(record.id)
        add(record.opening.input)
        add(record.state.payload)
        if let cause = record.cause { add(cause) }
    }

    /// The words, folded, separated by single spaces.
    public var words: String { folded }

    /// Adds a piece of text.
    public mutating func add(_ text: String) {
        let words = SearchWords.folded(text)
        guard !words.isEmpty else { return }
        if !folded.isEmpty { folded.append(" ") }
        folded.append(words)
    }

    /// Adds the texts and numbers within a value; names of members are left out, as every run of an operation has them.
    public mutating func add(_ value: JSONValue) {
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
    /// `lines` gives lines of that run after a number, or before one, nearest first.
    public mutating func addOutput(count: Int64, line: (Int64) throws -> OutputLine?) rethrows {
        var budget = Self.searchedOutput
        var first: Int64 = 1
        while first <= count, budget > 0, let text = try line(first)?.text {
            add(text)
            budget -= text.utf8.count + 1
            first += 1
        }
        budget = Self.searchedOutput
        var last = count
        var ending: [String] = []
        while last >= first, budget > 0, let text = try line(last)?.text {
            ending.append(text)
            budget -= text.utf8.count + 1
            last -= 1
        }
        for text in ending.reversed() { add(text) }
    }
}
