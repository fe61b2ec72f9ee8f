/// A media type with its parameters, as in `Content-Type` or `Accept`.
struct ContentType: Hashable, Sendable {
    /// The lowercase type and subtype, such as `application/json`.
    let name: String
    let parameters: [String: String]

    /// Parses a field value; nil if it is absent or names no type.
    ///
    /// Quoted parameters may contain backslash escapes.
    init?(_ value: String?) {
        guard let value else { return nil }
        var parts = Self.split(value, at: ";")
        let name = parts.removeFirst().lowercased()
        guard name.split(separator: "/", omittingEmptySubsequences: false).count == 2, !name.contains(" ") else {
            return nil
        }
        self.name = name
        var parameters: [String: String] = [:]
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            parameters[pair[0].lowercased()] = Self.unquoted(pair[1])
        }
        self.parameters = parameters
    }

    init?(firstOf accept: String?) {
        guard let accept else { return nil }
        self.init(Self.split(accept, at: ",").first)
    }

    var isJSON: Bool { name == "application/json" || name.hasSuffix("+json") }
    var isForm: Bool { name == "application/x-www-form-urlencoded" }
    var isMultipart: Bool { name == "multipart/form-data" }

    /// Splits outside of quotes and trims whitespace.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && isQuoted && !isEscaped
            // Never traps: `parts` starts with one element and never shrinks.
            parts[parts.count - 1].append(character)
        }
        return parts.map { part in
            String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }
}

/// An entity tag (RFC 9110, 8.8.3).
struct EntityTag: Hashable, Sendable {
    private let value: String
    private let isWeak: Bool

    /// Creates a strong tag; `value` consists of letters, digits and hyphens.
    init(_ value: String) { (self.value, isWeak) = (value, false) }

    /// Creates a weak tag; `value` consists of letters, digits and hyphens.
    init(weak value: String) { (self.value, isWeak) = (value, true) }

    var field: String { isWeak ? "W/\"\(value)\"" : "\"\(value)\"" }

    func coded(_ coding: String) -> EntityTag {
        let value = value + "-" + coding
        return isWeak ? EntityTag(weak: value) : EntityTag(value)
    }

    /// Whether an `If-None-Match` header contains this tag.
    ///
    /// Uses weak comparison (RFC 9110, 13.1.2), because proxies may weaken a strong tag.
    func isKnown(to header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { each in
            let each = each.drop { $0 == " " }
            return each == "*" || (each.hasPrefix("W/") ? each.dropFirst(2) : each) == "\"\(value)\""
        }
    }
}
