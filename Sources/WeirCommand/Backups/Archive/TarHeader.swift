import Foundation

/// The header of a file in a tar archive: POSIX ustar, with the sizes and long names of GNU tar.
struct TarHeader: Hashable {
    static let blockBytes = 512
    private static let nameBytes = 100
    /// The largest name and size that are accepted.
    static let longestName = 4_096
    static let largest: Int64 = 1 << 50

    var name: String
    var size: Int64
    /// When the backup was made, in seconds since 1970.
    var time: Int64
    /// Whether the content is the name of the next file, which is too long for a header.
    var isLongName = false

    static let longName = "././@LongLink"

    /// The blocks of a file's header, preceded by those of a long name.
    var blocks: [UInt8] {
        guard name.utf8.count > Self.nameBytes else { return block }
        let text = Array(name.utf8) + [0]
        let long = TarHeader(name: Self.longName, size: Int64(text.count), time: time, isLongName: true)
        return long.block + text + Self.padding(after: long.size) + block
    }

    static func padding(after size: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, Int(clamping: (512 - size % 512) % 512)))
    }

    var block: [UInt8] {
        var fields: [[UInt8]] = [
            Self.field(Array(name.utf8), 100), Self.octal(0o600, 8), Self.octal(0, 8), Self.octal(0, 8),
            Self.number(size, 12), Self.octal(time, 12), Array("        ".utf8),
            [UInt8(ascii: isLongName ? "L" : "0")], Self.field([], 100), Array("ustar\u{0}00".utf8),
            Self.field(Array("weir".utf8), 32), Self.field(Array("weir".utf8), 32), Self.octal(0, 8), Self.octal(0, 8),
            Self.field([], 167),
        ]
        let sum = fields.joined().reduce(Int64.zero) { $0 + Int64($1) }
        fields[6] = Self.octal(sum, 7) + [UInt8(ascii: " ")]
        return Array(fields.joined())
    }

    /// Parses a block, whose name is a long one that precedes it; nil unless it is exactly as this type writes it.
    init?(_ block: [UInt8], longName: String?) {
        guard block.count == Self.blockBytes else { return nil }
        let name = block.prefix(Self.nameBytes).prefix { $0 != 0 }
        guard let text = longName ?? String(validating: name, as: UTF8.self),
            let size = Self.number(block[124..<136]), let time = Self.number(block[136..<148]),
            (0...Self.largest).contains(size)
        else { return nil }
        self.init(name: text, size: size, time: time, isLongName: block[156] == UInt8(ascii: "L"))
        guard self.block == block else { return nil }
    }

    init(name: String, size: Int64, time: Int64, isLongName: Bool = false) {
        (self.name, self.size, self.time, self.isLongName) = (name, size, time, isLongName)
    }

    private static func field(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes.prefix(count) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
    }

    private static func octal(_ number: Int64, _ count: Int) -> [UInt8] {
        let digits = String(max(0, number), radix: 8)
        return Array((String(repeating: "0", count: max(0, count - 1 - digits.count)) + digits).utf8) + [0]
    }

    /// Octal digits, or from 8 GiB a binary number with its highest bit set.
    private static func number(_ number: Int64, _ count: Int) -> [UInt8] {
        guard number >= 1 << 33 else { return octal(number, count) }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) }
        return [0x80] + [UInt8](repeating: 0, count: max(0, count - 9)) + bytes
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        guard field.first != 0x80 else {
            return field.dropFirst().reduce(Int64.zero) { $0 &<< 8 | Int64($1) }
        }
        return String(validating: field.prefix { $0 != 0 }, as: UTF8.self).flatMap { Int64($0, radix: 8) }
    }
}
