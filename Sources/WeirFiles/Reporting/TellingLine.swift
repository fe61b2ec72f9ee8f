import WeirStates

/// The printed line that most likely says why a program failed: the last one with the word “error”, “fatal”, “panic” or
/// “exception” among the newest lines of standard error, or else of standard output, or else the last line.
struct TellingLine: Sendable {
    /// The number of newest lines of each channel in which the words count: earlier errors were overcome.
    private static let newest = 20
    private static let words = ["error", "fatal", "panic", "exception"]
    /// The number of characters in which the words are looked for.
    private static let searched = 1_000

    private var lines: [OutputChannel: [String]] = [:]
    private var last: String?

    /// Takes a line, unless it is blank.
    mutating func take(_ line: String, on channel: OutputChannel) {
        guard line.utf8.contains(where: { $0 > 0x20 }) else { return }
        last = line
        lines[channel, default: []].append(line)
        if let count = lines[channel]?.count, count > Self.newest { lines[channel]?.removeFirst() }
    }

    /// The line; nil if all were blank.
    var text: String? {
        let errors = lines[.standardError]?.last(where: Self.namesError)
        return errors ?? lines[.standardOutput]?.last(where: Self.namesError) ?? last
    }

    /// Whether one of the words ends in the line, also within another word, as in `ValueError`.
    private static func namesError(_ line: String) -> Bool {
        let line = line.prefix(searched).lowercased()
        return words.contains { word in
            line.ranges(of: word).contains { line[$0.upperBound...].first?.isLetter != true }
        }
    }
}
