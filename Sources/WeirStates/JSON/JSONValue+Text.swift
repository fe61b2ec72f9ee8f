extension JSONValue {
    /// The canonical text: keys in the order of their bytes, no white space, slashes unescaped.
    ///
    /// Parsing it returns the same value, with whole numbers and others kept apart (`1` and `1.0`). Throws
    /// `EncodingError` for a number that is not finite.
    package func text() throws -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        try write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) throws {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: value.description.utf8)
        case .number(let value):
            guard value.isFinite else {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "\(value) cannot be written as JSON"))
            }
            bytes.append(contentsOf: value.description.utf8)
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): try Self.write(members, to: &bytes)
        }
    }

    private static func write(_ members: [String: JSONValue], to bytes: inout [UInt8]) throws {
        bytes.append(UInt8(ascii: "{"))
        if members.count == 1, let (name, member) = members.first {
            try write(name, member, to: &bytes)
        } else {
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, (name, member)) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(name, member, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func write(_ name: String, _ member: JSONValue, to bytes: inout [UInt8]) throws {
        write(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        try member.write(to: &bytes)
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var plain = 0
            for (index, byte) in utf8.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: utf8[plain..<index])
                plain = index + 1
                writeEscape(of: byte, to: &bytes)
            }
            bytes.append(contentsOf: utf8[plain...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func writeEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}
