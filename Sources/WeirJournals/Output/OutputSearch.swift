import WeirFlows
import WeirStates

/// A search in the output of a run for the lines that contain a text, as pages show it: without escape sequences, in any case,
/// and regardless of how accents are encoded.
package struct OutputSearch: Sendable, Hashable {
    /// The part of the matches whose numbers are returned.
    package enum Part: Sendable, Hashable {
        /// The first matches after a line.
        case after(SequenceNumber)
        /// The last matches before a line.
        case before(SequenceNumber)
    }

    package static let maximumCharacters = 500
    /// The duration after which a search ends with the lines that it has searched.
    static let timeLimit = Duration.seconds(5)
    /// The number of lines that are read at a time.
    static let batch = 2_000

    package let text: String
    /// Whether only lines of standard error match.
    let isErrorsOnly: Bool
    package let part: Part
    /// The maximum number of returned matches; all are counted.
    let limit: Int

    /// Creates a search; nil without a criterion, and for a text that is too long.
    package init?(_ text: String, isErrorsOnly: Bool = false, part: Part = .after(0), limit: Int) {
        guard !text.isEmpty || isErrorsOnly, text.unicodeScalars.count <= Self.maximumCharacters else { return nil }
        self.text = text
        self.isErrorsOnly = isErrorsOnly
        self.part = part
        self.limit = max(0, limit)
    }
}

/// The lines of an output that match a search.
package struct OutputMatches: Sendable, Hashable {
    /// The number of matching lines.
    package fileprivate(set) var count = 0
    /// The numbers of the requested part of them, in order; of a line in pieces, that of the first piece.
    package fileprivate(set) var numbers: [SequenceNumber] = []
    /// The number of matches before the first of `numbers`.
    package fileprivate(set) var preceding = 0
    /// The number of the first line that is kept, or nil if there is none.
    package fileprivate(set) var first: SequenceNumber?
    /// The number of the last line that was searched.
    package fileprivate(set) var searched = SequenceNumber.zero
    /// Whether all lines were searched within the time limit.
    package private(set) var isComplete = true

    init() {}

    func completed(_ isComplete: Bool) -> OutputMatches {
        var matches = self
        matches.isComplete = isComplete
        return matches
    }
}

/// Finds the matching lines of an output, which it takes in order, piece by piece.
struct OutputScan: Sendable {
    /// A line whose last piece has not come.
    private struct OpenLine: Sendable {
        let number: SequenceNumber
        var isFound: Bool
        /// The end of the previous piece, in which a match can begin.
        var end: [UInt8]
    }

    private let search: OutputSearch
    private let finder: TextFinder
    private var open: [OutputChannel: OpenLine] = [:]
    private var matches = OutputMatches()

    init(_ search: OutputSearch) {
        self.search = search
        finder = TextFinder(search.text)
    }

    var result: OutputMatches {
        var result = matches
        let isAfter = if case .after = search.part { true } else { false }
        // The last matches before a line are collected in up to two parts.
        if !isAfter {
            result.numbers = matches.numbers.suffix(search.limit)
            result.preceding += matches.numbers.count - result.numbers.count
        }
        return result
    }

    mutating func take(_ line: OutputLine) {
        var text = line.text
        text.withUTF8 { utf8 in
            // Unsafe memory: the bytes belong to `text`, which outlives the call; the scan reads them through a buffer with bounds.
            take(line.number, line.channel, continues: line.continues, UnsafeRawBufferPointer(utf8))
        }
    }

    mutating func take(
        _ number: SequenceNumber, _ channel: OutputChannel, continues: Bool, _ bytes: UnsafeRawBufferPointer
    ) {
        if matches.first == nil { matches.first = number }
        matches.searched = number
        guard !search.isErrorsOnly || channel == .standardError else { return }
        guard continues || !open.isEmpty, continues || open[channel] != nil else {
            if finder.isFound(in: bytes) { add(number) }
            return
        }
        var line = open[channel] ?? OpenLine(number: number, isFound: false, end: [])
        if !line.isFound {
            let joined = line.end + bytes
            line.isFound = joined.withUnsafeBytes { finder.isFound(in: $0) }
            if line.isFound { add(line.number) }
            line.end = Array(joined.suffix(finder.overlap))
        }
        open[channel] = continues ? line : nil
    }

    private mutating func add(_ number: SequenceNumber) {
        matches.count += 1
        switch search.part {
        case .after(let start):
            if number <= start {
                matches.preceding += 1
            } else if matches.numbers.count < search.limit {
                matches.numbers.append(number)
            }
        case .before(let end):
            guard number < end else { return }
            matches.numbers.append(number)
            if matches.numbers.count > 2 * search.limit {
                matches.numbers.removeFirst(matches.numbers.count - search.limit)
                matches.preceding = matches.count - search.limit
            }
        }
    }
}

extension WorkPool {
    func scan(_ lines: [OutputLine], _ scan: OutputScan) async throws -> OutputScan {
        do {
            return try await run {
                var scan = scan
                for line in lines { scan.take(line) }
                return scan
            }
        } catch is Busy {
            throw JournalError.tooManySearches
        }
    }
}
