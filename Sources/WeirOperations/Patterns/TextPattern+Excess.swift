extension TextPattern {
    /// The maximum number of wide ranges in a pattern that ignores case.
    private static let maximumRanges = 2

    /// What would take too long where no budget ends it; nil if there is nothing.
    static func excess(in pattern: String, isInput: Bool) -> Mistake? {
        var rest = Array(pattern.utf8)[...]
        var (ranges, ignoresCase) = (0, false)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                // A single \X looks at a text in a time that grows with the square of its length.
                if rest.popFirst() == UInt8(ascii: "X"), isInput {
                    return Mistake(sentence: "A pattern of an input cannot use \\X, which browsers do not know.")
                }
            case UInt8(ascii: "-"): if hasWideEnd(rest) { ranges += 1 }
            case UInt8(ascii: "("): if ignoresCaseAfter(rest) { ignoresCase = true }
            default: break
            }
        }
        // The compiler looks up the other cases of each character of a range: this takes 10 ms for the longest.
        guard ignoresCase, ranges > maximumRanges else { return nil }
        return Mistake(
            sentence:
                "A pattern that ignores case can have at most \(maximumRanges) ranges that end beyond U+2FFF or are "
                + "written with numbers such as \\x{80}. Use \\p{L}, or leave out (?i).")
    }

    /// Whether the end of a range follows that is beyond U+2FFF, or written as a number of any size.
    private static func hasWideEnd(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first else { return false }
        // The first byte of U+3000 in UTF-8.
        guard first == UInt8(ascii: "\\") else { return first >= 0xE3 }
        let next = rest.dropFirst().prefix(2)
        return ["x{", "u", "o", "N"].contains { next.starts(with: $0.utf8) }
    }

    /// Whether `?` and options follow, among them `i`.
    private static func ignoresCaseAfter(_ rest: ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: "?") else { return false }
        return rest.dropFirst().prefix { "^-imsxnJUaDP".utf8.contains($0) }.contains(UInt8(ascii: "i"))
    }
}
