import Foundation

/// Texts in lower case and with accents apart from their letters, so that all encodings of a text are equal.
///
/// Covers the alphabets up to U+1FFF and Hangul; all other characters stay. It works on bytes, because an output can have
/// millions of lines.
enum FoldedText {
    /// The scalars below this one have an entry in the table.
    private static let limit = 0x2000

    /// The folded bytes of the scalar `n` are those from `starts[n]` to `starts[n + 1]`.
    private static let table: (starts: [Int], bytes: [UInt8]) = {
        var starts: [Int] = [0]
        var bytes: [UInt8] = []
        for value in 0..<UInt32(clamping: limit) {
            if let scalar = Unicode.Scalar(value) {
                // A sigma at the end of a word has another form.
                let text = value == 0x3C2 ? "σ" : scalar.properties.lowercaseMapping
                bytes += text.decomposedStringWithCanonicalMapping.utf8
            }
            starts.append(bytes.count)
        }
        return (starts, bytes)
    }()

    static func bytes(_ text: some Collection<UInt8>) -> [UInt8] {
        text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }.withUnsafeBytes { bytes(lowerCase: $0) }
    }

    /// Folds a text whose ASCII letters are in lower case.
    static func bytes(lowerCase text: UnsafeRawBufferPointer) -> [UInt8] {
        // Unsafe memory: slices and the iteration of the buffer stay within its bounds.
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 2)
        let table = table
        var rest = text[...]
        while let start = rest.firstIndex(where: { $0 >= 0x80 }) {
            result += rest[..<start]
            rest = rest[start...]
            var (value, missing) = (0, 0)
            while let byte = rest.first, byte >= 0x80 {
                rest = rest.dropFirst()
                switch byte {
                case 0x80..<0xC0:
                    guard missing > 0 else { continue }
                    missing -= 1
                    value = value << 6 | Int(byte & 0x3F)
                    if missing == 0 { append(value, table, to: &result) }
                case 0xC0..<0xE0: (value, missing) = (Int(byte & 0x1F), 1)
                case 0xE0..<0xF0: (value, missing) = (Int(byte & 0x0F), 2)
                default: (value, missing) = (Int(byte & 0x07), 3)
                }
            }
        }
        return result + rest
    }

    private static func append(_ value: Int, _ table: (starts: [Int], bytes: [UInt8]), to result: inout [UInt8]) {
        if value < limit {
            // Never traps: the table has one entry more than the limit.
            result += table.bytes[table.starts[value]..<table.starts[value + 1]]
        } else if 0xAC00...0xD7A3 ~= value {
            // A syllable consists of two or three letters.
            let index = value - 0xAC00
            appendPlain(0x1100 + index / 588, to: &result)
            appendPlain(0x1161 + index % 588 / 28, to: &result)
            if index % 28 > 0 { appendPlain(0x11A7 + index % 28, to: &result) }
        } else {
            appendPlain(value, to: &result)
        }
    }

    private static func appendPlain(_ value: Int, to result: inout [UInt8]) {
        guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else { return }
        result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
}
