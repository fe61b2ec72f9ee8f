/// The bytes libFuzzer made up, for a parser to take: numbers that steer are taken from the end, so that the beginning
/// stays what it would be in a file or a request, and a corpus can be read and written by hand.
struct FuzzInput {
    private var bytes: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes[...] }

    /// A number below `limit`, from the last byte; 0 when no byte is left.
    mutating func choice(_ limit: Int) -> Int {
        guard limit > 1, let byte = bytes.popLast() else { return 0 }
        return Int(byte) % limit
    }

    /// A number of any size, from the last eight bytes or what is left of them.
    mutating func number() -> Int64 {
        var number: UInt64 = 0
        for _ in 0..<8 {
            guard let byte = bytes.popLast() else { break }
            number = number << 8 | UInt64(byte)
        }
        return Int64(bitPattern: number)
    }

    /// All that is left, as bytes.
    var rest: [UInt8] { Array(bytes) }

    /// All that is left, as text, with U+FFFD for what is not UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// All that is left, as lines of text.
    var lines: [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
