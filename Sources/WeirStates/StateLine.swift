/// A line by which a program says where it is, in words: `::weir uploading completed=40 total=100 unit=bytes file=a.bin::`.
///
/// A word with `=` is a member; the one without it names the state. A value with spaces stands in quotes
/// (`file="a b.bin"`), where `\"` is a quote and `\\` a backslash. A line that is not exactly like this is output like any
/// other. No line can say how a run ends: programs echo what strangers sent.
package struct StateLine: Sendable, Hashable {
    /// One word with `=`.
    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The longest line that is read, in bytes.
    package static let maximumBytes = 4_096
    private static let prefix = "::weir "
    private static let suffix = "::"

    /// The state's name, as it was written; nil if the line names none.
    package private(set) var state: String?
    /// What else the line says, in its order, each name once.
    package private(set) var members: [Member] = []

    /// Reads a line without its end; nil for output.
    ///
    /// Pure.
    package init?(_ line: String) {
        guard line.utf8.first == UInt8(ascii: ":"), line.utf8.count <= Self.maximumBytes, line.hasPrefix(Self.prefix)
        else { return nil }
        var rest = line.dropFirst(Self.prefix.count)
        while rest.last == " " { rest = rest.dropLast() }
        guard rest.hasSuffix(Self.suffix) else { return nil }
        rest = rest.dropLast(Self.suffix.count).drop { $0 == " " }
        while !rest.isEmpty {
            guard take(&rest) else { return nil }
            rest = rest.drop { $0 == " " }
        }
        guard state != nil || !members.isEmpty else { return nil }
    }

    /// Takes a word off the beginning of a text; false if the line is none of ours.
    private mutating func take(_ text: inout Substring) -> Bool {
        let name = String(text.prefix { $0 != "=" && $0 != " " })
        text = text.dropFirst(name.count)
        guard !name.isEmpty else { return false }
        guard text.first == "=" else {
            guard state == nil else { return false }
            state = name
            return true
        }
        text = text.dropFirst()
        guard let value = Self.value(&text), !members.contains(where: { $0.name == name }) else { return false }
        members.append(Member(name: name, value: value))
        return true
    }

    private static func value(_ text: inout Substring) -> String? {
        guard text.first == "\"" else {
            let value = text.prefix { $0 != " " }
            text = text.dropFirst(value.count)
            return String(value)
        }
        text = text.dropFirst()
        var value = ""
        while let character = text.popFirst() {
            switch character {
            case "\"": return text.isEmpty || text.first == " " ? value : nil
            case "\\":
                guard let next = text.popFirst() else { return nil }
                value.append(next)
            default: value.append(character)
            }
        }
        return nil
    }
}

/// The names that reporters can give to states.
package enum StateName {
    /// Whether a text can be one: a letter, then up to 63 letters, digits, `-`, `_` and `.`.
    package static func isValid(_ name: some StringProtocol) -> Bool {
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
