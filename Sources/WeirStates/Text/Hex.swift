/// Bytes as hexadecimal digits.
package struct Hex: Hashable, Sendable {
    /// The bytes.
    package let bytes: [UInt8]

    /// Holds bytes, such as those of a hash.
    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Reads an even number of lower-case digits; nil for anything else.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.bytes = bytes
    }

    /// The digits, two for each byte, in lower case.
    package var text: String {
        let digits = Array("0123456789abcdef".utf8)
        // Half a byte is at most 15.
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
