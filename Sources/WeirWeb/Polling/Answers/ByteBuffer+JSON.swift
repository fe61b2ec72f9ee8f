import NIOCore
import WeirPages

extension ByteBuffer {
    /// Writes a JSON string, quotes included: only what RFC 8259 says must be escaped is.
    mutating func writeJSON(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            writeInteger(UInt8(ascii: "\""))
            var start = bytes.startIndex
            for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x22 || bytes[index] == 0x5c {
                writeBytes(bytes[start..<index])
                start = index + 1
                switch bytes[index] {
                case UInt8(ascii: "\""): writeString(#"\""#)
                case UInt8(ascii: "\\"): writeString(#"\\"#)
                case UInt8(ascii: "\n"): writeString(#"\n"#)
                case UInt8(ascii: "\r"): writeString(#"\r"#)
                case UInt8(ascii: "\t"): writeString(#"\t"#)
                case let other: writeString(#"\u00"# + (other < 16 ? "0" : "") + String(other, radix: 16))
                }
            }
            writeBytes(bytes[start...])
            writeInteger(UInt8(ascii: "\""))
        }
    }
}

extension ByteBuffer {
    /// Writes patches as the list that a client applies.
    mutating func write(_ patches: [Patch]) {
        writeString("[")
        for (index, patch) in patches.enumerated() {
            writeString(index > 0 ? ",[" : "[")
            for (index, member) in patch.members.enumerated() {
                if index > 0 { writeString(",") }
                write(member)
            }
            writeString("]")
        }
        writeString("]")
    }

    private mutating func write(_ member: Patch.Member) {
        switch member {
        case .text(let text): writeJSON(text)
        case .attributes(let attributes):
            writeString("{")
            for (index, (name, value)) in attributes.enumerated() {
                if index > 0 { writeString(",") }
                writeJSON(name)
                writeString(":")
                if let value { writeJSON(value) } else { writeString("null") }
            }
            writeString("}")
        case .optional: writeString("1")
        }
    }
}
