/// A text that is read as programs write it: as it is, or escaped for a URL, JSON, C, a shell or HTML.
///
/// Programs differ in the characters that they escape, so each character can be escaped or not.
struct EscapedText: Sendable {
    let bytes: [UInt8]

    /// The longest sequences that are read as one escape.
    private static let (backslashes, percents, entity) = (16, 4, 8)
    /// The ways in which a quoted shell word contains a quote.
    private static let quotes = [Array(#"'\''"#.utf8), Array(#"'"'"'"#.utf8)]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The byte at a place, or nil after the end.
    func byte(_ place: Int) -> UInt8? { bytes.indices.contains(place) ? bytes[place] : nil }

    /// Whether a byte can begin an escape, so that it has other readings than itself.
    static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "&"),
            UInt8(ascii: "\r"):
            true
        default: false
        }
    }

    /// Calls `body` with every byte that the text can mean at a place, and the place after it.
    ///
    /// - Returns: Whether these are all readings; false if the text ends within an escape.
    func read(at place: Int, _ body: (_ byte: UInt8, _ end: Int) -> Void) -> Bool {
        guard let first = byte(place) else { return false }
        body(first, place + 1)
        switch first {
        case UInt8(ascii: "%"): return readPercent(after: place, body)
        case UInt8(ascii: "+"): body(UInt8(ascii: " "), place + 1)
        case UInt8(ascii: "\\"): return readBackslash(at: place, body)
        case UInt8(ascii: "'"): return readQuote(at: place, body)
        case UInt8(ascii: "&"): return readEntity(after: place, body)
        case UInt8(ascii: "\r"):
            // Terminals turn LF into CR LF.
            guard let next = byte(place + 1) else { return false }
            if next == UInt8(ascii: "\n") { body(next, place + 2) }
        default: break
        }
        return true
    }

    /// The place after a line end, or nil if none begins here.
    func lineEnd(at place: Int) -> Int? {
        switch byte(place) {
        case UInt8(ascii: "\n"): place + 1
        case UInt8(ascii: "\r"): byte(place + 1) == UInt8(ascii: "\n") ? place + 2 : nil
        default: nil
        }
    }

    private func readPercent(after place: Int, _ body: (UInt8, Int) -> Void) -> Bool {
        var start = place + 1
        // A percent sign that is encoded again is %25.
        for _ in 0..<Self.percents {
            switch number(at: start, digits: 2, radix: 16) {
            case .unfinished: return false
            case .none: return true
            case .value(let value):
                start += 2
                body(UInt8(clamping: value), start)
                if value != 0x25 { return true }
            }
        }
        return true
    }

    private func readBackslash(at place: Int, _ body: (UInt8, Int) -> Void) -> Bool {
        var end = place
        while end - place < Self.backslashes, byte(end) == UInt8(ascii: "\\") { end += 1 }
        for count in [2, 4, 8] where end - place >= count { body(UInt8(ascii: "\\"), place + count) }
        guard let escaped = byte(end) else { return false }
        // Any other escaped character means itself.
        body(escaped, end + 1)
        switch escaped {
        case UInt8(ascii: "n"): body(0x0A, end + 1)
        case UInt8(ascii: "r"): body(0x0D, end + 1)
        case UInt8(ascii: "t"): body(0x09, end + 1)
        case UInt8(ascii: "b"): body(0x08, end + 1)
        case UInt8(ascii: "f"): body(0x0C, end + 1)
        case UInt8(ascii: "u"): return readNumber(at: end + 1, digits: 4, radix: 16, below: 0x80, body)
        case UInt8(ascii: "x"): return readNumber(at: end + 1, digits: 2, radix: 16, below: 0x100, body)
        case UInt8(ascii: "0")...UInt8(ascii: "3"): return readNumber(at: end, digits: 3, radix: 8, below: 0x100, body)
        default: break
        }
        return true
    }

    private func readNumber(
        at place: Int, digits: Int, radix: Int, below limit: Int, _ body: (UInt8, Int) -> Void
    ) -> Bool {
        switch number(at: place, digits: digits, radix: radix) {
        case .unfinished: return false
        case .none: return true
        case .value(let value):
            if value < limit { body(UInt8(clamping: value), place + digits) }
            return true
        }
    }

    private func readQuote(at place: Int, _ body: (UInt8, Int) -> Void) -> Bool {
        var isWhole = true
        for quote in Self.quotes {
            let there = bytes.dropFirst(place).prefix(quote.count)
            guard quote.starts(with: there) else { continue }
            if there.count == quote.count {
                body(UInt8(ascii: "'"), place + quote.count)
            } else {
                isWhole = false
            }
        }
        return isWhole
    }

    private func readEntity(after place: Int, _ body: (UInt8, Int) -> Void) -> Bool {
        let rest = bytes.dropFirst(place + 1).prefix(Self.entity)
        let name = rest.prefix { byte in
            byte == UInt8(ascii: "#") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard name.count < rest.count else { return rest.count == Self.entity }
        guard byte(name.endIndex) == UInt8(ascii: ";") else { return true }
        let text = String(decoding: name, as: UTF8.self)
        let value: Int? =
            switch text {
            case "amp": 0x26
            case "lt": 0x3C
            case "gt": 0x3E
            case "quot": 0x22
            case "apos": 0x27
            default:
                if text.hasPrefix("#x") || text.hasPrefix("#X") {
                    Int(text.dropFirst(2), radix: 16)
                } else {
                    text.hasPrefix("#") ? Int(text.dropFirst()) : nil
                }
            }
        if let value, (0..<0x80).contains(value) { body(UInt8(clamping: value), name.endIndex + 1) }
        return true
    }

    private enum Number {
        case value(Int)
        /// The text ends within the digits.
        case unfinished
        case none
    }

    private func number(at place: Int, digits: Int, radix: Int) -> Number {
        var value = 0
        for offset in 0..<digits {
            guard let next = byte(place + offset) else { return .unfinished }
            guard let digit = Character(Unicode.Scalar(next)).hexDigitValue, digit < radix else { return .none }
            value = value * radix + digit
        }
        return .value(value)
    }
}
