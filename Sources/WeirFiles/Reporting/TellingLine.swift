import WeirStates

/// The printed line that most likely says why a program failed: the last one with the word “error”, “fatal”, “panic” or
/// “exception” among the newest lines of standard error, or else of standard output, or else the last line.
///
/// Of lines that arrive together, that of standard error is the last one: the two pipes are read in any order.
struct TellingLine: Sendable {
    struct Line: Sendable, Equatable {
        let text: String
        /// The number in the output, or nil if it is not known.
        var number: Int64?
        /// The time since the beginning of the run.
        var at = Duration.zero
    }

    /// The time within which lines arrive together.
    static let together = Duration.milliseconds(100)
    /// The number of newest lines of each channel in which the words count: earlier errors were overcome.
    private static let newest = 20
    private static let words = ["error", "fatal", "panic", "exception"]
    /// The number of characters in which the words are looked for.
    private static let searched = 1_000

    private var lines: [OutputChannel: [Line]] = [:]

    /// Takes a line, unless it is blank.
    mutating func take(_ line: Line, on channel: OutputChannel) {
        guard line.text.utf8.contains(where: { $0 > 0x20 }) else { return }
        lines[channel, default: []].append(line)
        if let count = lines[channel]?.count, count > Self.newest { lines[channel]?.removeFirst() }
    }

    /// The line; nil if all were blank.
    var line: Line? {
        let (errors, others) = (lines[.standardError] ?? [], lines[.standardOutput] ?? [])
        if let line = errors.last(where: Self.namesError) ?? others.last(where: Self.namesError) { return line }
        guard let error = errors.last, let other = others.last else { return errors.last ?? others.last }
        return other.at - error.at > Self.together ? other : error
    }

    /// Whether one of the words ends in the line, also within another word, as in `ValueError`.
    private static func namesError(_ line: Line) -> Bool {
        let line = line.text.prefix(searched).lowercased()
        return words.contains { word in
            line.ranges(of: word).contains { line[$0.upperBound...].first?.isLetter != true }
        }
    }
}
