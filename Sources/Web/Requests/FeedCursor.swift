/// How far somebody has read, as URLs and answers write it: `E.N`, the journal's epoch and a sequence.
struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
    let epoch: String
    let sequence: Int64

    init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads `E.N`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...32).contains(parts[0].utf8.count),
            parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
            (1...19).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let sequence = Int64(parts[1])
        else { return nil }
        epoch = String(parts[0])
        self.sequence = sequence
    }

    var description: String { "\(epoch).\(sequence)" }
}
