/// An external value as one quoted word of bounded length, safe for logs.
///
/// Clients choose names, causes and file names. Unquoted, a name such as `x runs=99 actor=root` would forge fields of
/// the line, a line break would forge lines, and a character that changes the direction of text would hide what
/// follows. Every external value is therefore quoted in logs: quotes, backslashes and invisible characters are escaped,
/// and the text is truncated to a thousand characters.
package struct Quoted: Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of characters; an escape counts as one.
    static let limit = 1_000

    package let description: String

    package init(_ value: some Any) {
        var text = "\""
        for (count, scalar) in String(describing: value).unicodeScalars.enumerated() {
            guard count < Self.limit else {
                text += "…"
                break
            }
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                if Self.isVisible(scalar) {
                    text.unicodeScalars.append(scalar)
                } else {
                    text += "\\u{" + String(scalar.value, radix: 16) + "}"
                }
            }
        }
        description = text + "\""
    }

    /// The value of a quoted word, or nil for any other text.
    package static func content(of word: String) -> String? {
        var rest = word.unicodeScalars[...]
        guard rest.popFirst() == "\"", rest.popLast() == "\"" else { return nil }
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                if scalar == "\"" { return nil }
                text.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n": text.append("\n")
            case "r": text.append("\r")
            case "t": text.append("\t")
            case "u":
                guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                    let value = Int(String(rest[..<end]), radix: 16).flatMap(UInt32.init(exactly:)),
                    let escaped = Unicode.Scalar(value)
                else { return nil }
                text.append(escaped)
                rest = rest[end...].dropFirst()
            case let escaped?: text.append(escaped)
            case nil: return nil
            }
        }
        return String(text)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case .spaceSeparator: scalar == " "
        default: true
        }
    }
}
