/// A line of output by which a program reports its state: `::weir uploading completed=40 total=100 unit=bytes
/// file=a.bin::`.
///
/// A word with `=` is a member; the one word without it names the state. A value with spaces is quoted (`file="a
/// b.bin"`), with the escapes `\"` and `\\`. A malformed line counts as normal output. No line can report the end of a
/// run, because programs print untrusted input.
package struct StateLine: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The maximum length of a line in bytes.
    package static let maximumBytes = 4_096
    private static let prefix = "::weir "
    private static let suffix = "::"

    /// The name of the state as written, or nil if the line has none.
    package private(set) var state: String?
    /// The members in order, with unique names.
    package private(set) var members: [Member] = []

    /// Parses a line without its terminator; nil for normal output.
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

    /// Parses and removes the first word of a text; false if it is malformed.
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

/// The source of a line of output.
public enum OutputChannel: String, Codable, Sendable, Hashable, CaseIterable {
    /// The program's standard output.
    case standardOutput = "stdout"
    /// The program's standard error.
    case standardError = "stderr"
    /// A message of the operation itself about its work.
    case notice
}
