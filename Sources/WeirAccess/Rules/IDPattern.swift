/// A glob pattern for ids: `*` matches any number of characters, `?` matches one.
public struct IDPattern: Hashable, Sendable, CustomStringConvertible {
    static let limit = 128

    private let bytes: [UInt8]

    /// Parses a pattern; nil if it is empty, too long, or contains characters that ids cannot contain.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.limit).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.bytes = bytes
    }

    /// The source text of the pattern.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns whether an id matches; the worst case is the product of both lengths.
    func matches(_ id: String) -> Bool {
        let text = Array(id.utf8)
        var (place, index) = (0, 0)
        // The position of the last `*`, and the end of the text it has matched so far.
        var star: (place: Int, index: Int)?
        while index < text.count {
            // Both indexes are in bounds: `place` is checked first, and `index` by the loop.
            if place < bytes.count, bytes[place] != UInt8(ascii: "*"),
                bytes[place] == UInt8(ascii: "?") || bytes[place] == text[index]
            {
                place += 1
                index += 1
            } else if place < bytes.count, bytes[place] == UInt8(ascii: "*") {
                star = (place, index)
                place += 1
            } else if let last = star {
                star = (last.place, last.index + 1)
                place = last.place + 1
                index = last.index + 1
            } else {
                return false
            }
        }
        return bytes.dropFirst(place).allSatisfy { $0 == UInt8(ascii: "*") }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "*"), UInt8(ascii: "?"):
            true
        default: false
        }
    }
}
