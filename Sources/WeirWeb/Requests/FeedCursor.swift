import WeirJournals

/// How far somebody has read, as URLs and answers write it: `E.N`, the journal's epoch and a sequence.
///
/// On the feed of everything, those who may see a part only have `E.N.A`: what they have read is all only for who may see the same.
struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
    let epoch: String
    let sequence: SequenceNumber
    /// Which part of the board was read; nil for the whole, and on other feeds.
    let part: String?

    init(epoch: String, sequence: SequenceNumber, part: String? = nil) {
        self.epoch = epoch
        self.sequence = sequence
        self.part = part
    }

    /// Reads `E.N` or `E.N.A`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, (1...32).contains(parts[0].utf8.count),
            parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
            let sequence = SequenceNumber(parts[1]), parts.dropFirst(2).allSatisfy(Self.isLabel)
        else { return nil }
        part = parts.dropFirst(2).first.map(String.init)
        epoch = String(parts[0])
        self.sequence = sequence
    }

    var description: String { "\(epoch).\(sequence)" + (part.map { ".\($0)" } ?? "") }

    private static func isLabel(_ text: Substring) -> Bool {
        text.utf8.count == 13 && text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
    }
}
