import Journals

/// How far somebody has read, as URLs and answers write it: `E.N`, the journal's epoch and a sequence.
struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
    let epoch: String
    let sequence: SequenceNumber

    init(epoch: String, sequence: SequenceNumber) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads `E.N`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...32).contains(parts[0].utf8.count),
            parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
            let sequence = SequenceNumber(parts[1])
        else { return nil }
        epoch = String(parts[0])
        self.sequence = sequence
    }

    var description: String { "\(epoch).\(sequence)" }
}
