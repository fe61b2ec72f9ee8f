package import States

/// A line by which a program says where it is: `::weir uploading completed=40 total=100 unit=bytes file=a.bin::`.
///
/// A value with spaces stands in quotes (`file="a b.bin"`), where `\"` is a quote and `\\` a backslash. A line that is not
/// exactly like this is output like any other. No line can say how the run ends: programs echo what strangers sent.
///
/// Pure.
package enum StateLine {
    private static let prefix = "::weir "
    private static let suffix = "::"
    private static let units = ["bytes", "items", "percent"]
    /// The largest count that a server takes.
    private static let largestCount: Int64 = 9_007_199_254_740_991

    /// The message that a line stands for; nil for output.
    package static func message(_ line: String) -> JSONValue? {
        guard line.hasPrefix(prefix), line.hasSuffix(suffix), line.utf8.count <= 4_096 else { return nil }
        var rest = line.dropFirst(prefix.count)
        guard rest.hasSuffix(suffix) else { return nil }
        rest = rest.dropLast(suffix.count)
        let name = rest.prefix { $0 != " " }
        rest = rest.dropFirst(name.count)
        guard isState(name) else { return nil }
        var members: [String: JSONValue] = [:]
        while true {
            rest = rest.drop { $0 == " " }
            if rest.isEmpty { break }
            guard let (key, value) = pair(&rest), members[key] == nil, let member = member(key, value) else {
                return nil
            }
            members[key] = member
        }
        guard members["total"] == nil || members["completed"] != nil else { return nil }
        members["state"] = .string(String(name))
        return .object(members)
    }

    /// Takes one `key=value` off the beginning of a text.
    private static func pair(_ text: inout Substring) -> (String, String)? {
        let key = text.prefix { $0 != "=" && $0 != " " }
        text = text.dropFirst(key.count)
        guard !key.isEmpty, text.first == "=" else { return nil }
        text = text.dropFirst()
        guard text.first == "\"" else {
            let value = text.prefix { $0 != " " }
            text = text.dropFirst(value.count)
            return (String(key), String(value))
        }
        text = text.dropFirst()
        var value = ""
        while let character = text.popFirst() {
            switch character {
            case "\"": return text.isEmpty || text.first == " " ? (String(key), value) : nil
            case "\\":
                guard let next = text.popFirst() else { return nil }
                value.append(next)
            default: value.append(character)
            }
        }
        return nil
    }

    private static func member(_ key: String, _ value: String) -> JSONValue? {
        switch key {
        case "completed", "total":
            guard let count = Int64(value), (0...largestCount).contains(count) else { return nil }
            return .integer(count)
        case "unit": return units.contains(value) ? .string(value) : nil
        case "state", "phase": return nil
        default: return .string(value)
        }
    }

    private static func isState(_ name: Substring) -> Bool {
        let bytes = name.utf8
        guard (1...64).contains(bytes.count), let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
