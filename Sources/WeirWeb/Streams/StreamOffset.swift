import WeirJournals

/// A position in a stream: a text that sorts in the order of positions, even across histories.
///
/// The format is `TIME_EPOCH_SEQUENCE`; `TIME_EPOCH_SEQUENCE_LINE` for a reported run; and `TIME_EPOCH_SEQUENCE_PART` for the
/// partly visible board.
/// - `TIME` is the start of the epoch in milliseconds since 1970, as ten base-32 digits.
/// - `SEQUENCE` and `LINE` are those of the last change and line before the position, with sixteen decimal digits each.
/// - `PART` is the label of the visible part, thirteen letters and digits: readers with other permissions have not read the
///   same changes.
///
/// For an output, `SEQUENCE` is a line number. Each position has exactly one spelling.
struct StreamOffset: Hashable, Sendable, CustomStringConvertible {
    struct History: Hashable, Sendable, CustomStringConvertible {
        private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        /// The maximum of ten base-32 digits, in the year 37,648.
        private static let last: Int64 = 1 << 50 - 1

        let description: String

        init(epoch: String, began: Timestamp) {
            let time = min(max(0, began.milliseconds), Self.last)
            let digits = stride(from: Int64(45), through: 0, by: -5).map { Self.digits[Int(time >> $0 & 31)] }
            description = String(decoding: digits, as: UTF8.self) + "_" + epoch
        }

        fileprivate init?(_ time: Substring, _ epoch: Substring) {
            guard time.utf8.count == 10, time.utf8.allSatisfy(Self.digits.contains),
                (1...32).contains(epoch.utf8.count),
                epoch.utf8.allSatisfy(Self.isLetterOrDigit)
            else { return nil }
            description = "\(time)_\(epoch)"
        }

        fileprivate static func isLetterOrDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }

    let history: History
    let sequence: SequenceNumber
    /// The number of the last line in a reported run's stream; nil in other streams.
    let line: SequenceNumber?
    /// The label of the visible part of the board; nil for the whole board, and in other streams.
    let part: String?

    init(_ history: History, _ sequence: SequenceNumber, line: SequenceNumber? = nil, part: String? = nil) {
        self.history = history
        self.sequence = sequence
        self.line = line
        self.part = part
    }

    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 96 else { return nil }
        let parts = String(text).utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 3 || parts.count == 4, let history = History(parts[0], parts[1]),
            let sequence = Self.number(parts[2])
        else { return nil }
        switch parts.dropFirst(3).first {
        case nil: self.init(history, sequence)
        case let part? where part.utf8.count == Self.partWidth && part.utf8.allSatisfy(History.isLetterOrDigit):
            self.init(history, sequence, part: String(part))
        case let part?:
            guard let line = Self.number(part) else { return nil }
            self.init(history, sequence, line: line)
        }
    }

    var description: String {
        "\(history)_\(Self.text(sequence))" + (line.map { "_" + Self.text($0) } ?? part.map { "_" + $0 } ?? "")
    }

    private static let width = 16
    private static let partWidth = 13

    private static func text(_ number: SequenceNumber) -> String {
        let digits = number.description
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func number(_ text: Substring) -> SequenceNumber? {
        guard text.utf8.count == width else { return nil }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "0") }
        return SequenceNumber(digits.isEmpty ? "0" : Substring(digits))
    }
}

/// The cursor that followers of a stream echo, so that each wait has a new URL for caches: the number of a time interval.
///
/// Section 10.1 of the protocol: intervals of 20 s, counted from 9 October 2024. An answer has the current interval, or the
/// one after the follower's own unless that is in the past. Without random jitter, followers of a stream share URLs.
struct StreamCursor: Hashable, Sendable, CustomStringConvertible {
    /// The length of an interval in milliseconds.
    static let interval: Int64 = 20_000
    /// The longest hold, in milliseconds.
    static let longestHold: Int64 = 14_000
    /// The start of the first interval, in milliseconds since 1970.
    private static let origin: Int64 = 1_728_432_000_000
    private static let last: Int64 = 999_999_999_999_999

    let number: Int64

    init(at wall: Int64) { number = max(0, Self.elapsed(at: wall) / Self.interval) }

    /// Parses decimal digits without leading zeros, at most fifteen.
    init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard (1...15).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"), let number = Int64(text)
        else { return nil }
        self.number = number
    }

    private init(number: Int64) { self.number = number }

    var description: String { String(number) }

    static func following(_ cursor: StreamCursor?, at wall: Int64) -> StreamCursor {
        let current = StreamCursor(at: wall)
        guard let cursor, cursor.number >= current.number else { return current }
        return StreamCursor(number: min(last, cursor.number) + 1)
    }

    /// Returns how long to hold a request, in milliseconds: until the interval ends, at most 14 s.
    static func hold(at wall: Int64) -> Int64 {
        let rest = elapsed(at: wall) % interval
        return min(longestHold, interval - (rest < 0 ? rest + interval : rest))
    }

    /// Returns the time since the first interval began, saturating on overflow.
    private static func elapsed(at wall: Int64) -> Int64 {
        let (difference, isOver) = wall.subtractingReportingOverflow(origin)
        return isOver ? .min / 2 : difference
    }
}
