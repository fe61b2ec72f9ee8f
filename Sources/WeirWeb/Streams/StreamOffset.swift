import WeirJournals

/// A place in a stream, as programs hold it: a text that sorts as the places do, also when one history takes the place of
/// another.
///
/// `TIME_EPOCH_SEQUENCE`, for a reported run `TIME_EPOCH_SEQUENCE_LINE`, for the board of those who may see part of it
/// `TIME_EPOCH_SEQUENCE_PART`: when the epoch began, as ten digits of base 32 for the milliseconds since 1970; the epoch;
/// the sequence of the last change before the place, and the number of the last line, as sixteen decimal digits each; and
/// thirteen letters and digits for what its reader may see, since a reader who may see more has not read it. The stream of
/// an output has its numbers of lines for sequences. Each place has one such text, and anything else is none.
struct StreamOffset: Hashable, Sendable, CustomStringConvertible {
    /// The history that a place is in.
    struct History: Hashable, Sendable, CustomStringConvertible {
        private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        /// What ten digits of base 32 hold: until the year 37,648.
        private static let last: Int64 = 1 << 50 - 1

        /// Its text.
        let description: String

        /// Names the history of a journal.
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
    /// The number of the last line, in the stream of a reported run; nil in any other.
    let line: SequenceNumber?
    /// Stands for what of the board its reader may see; nil for everything, and in any other stream.
    let part: String?

    init(_ history: History, _ sequence: SequenceNumber, line: SequenceNumber? = nil, part: String? = nil) {
        self.history = history
        self.sequence = sequence
        self.line = line
        self.part = part
    }

    /// Reads an offset; nil for anything that is not spelled as one.
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
