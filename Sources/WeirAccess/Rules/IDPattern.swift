/// A pattern for ids: letters that stand for themselves, `*` for any number of letters, `?` for one.
public struct IDPattern: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes a pattern may have.
    static let limit = 128

    private let bytes: [UInt8]

    /// Reads a pattern; nil when it is empty, too long, or holds what no id holds.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.limit).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.bytes = bytes
    }

    /// The pattern as it was written.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether an id has the pattern's form, in time proportional to the product of their lengths at worst.
    package func matches(_ id: String) -> Bool {
        let text = Array(id.utf8)
        var (place, index) = (0, 0)
        // Where the last `*` stands, and how much of the text it has taken so far.
        var star: (place: Int, index: Int)?
        while index < text.count {
            // `place` is checked against the pattern's count first, and `index` is below the text's.
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
