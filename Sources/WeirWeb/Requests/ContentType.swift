/// The media type of a body, as `Content-Type` or `Accept` names it, with its parameters.
struct ContentType: Hashable, Sendable {
    /// The type and subtype in lower case, such as `application/json`.
    let name: String
    /// The parameters, by name in lower case.
    let parameters: [String: String]

    /// Reads a field value; nil for none and for one that names no type.
    ///
    /// Quoted parameters may have backslashes.
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

    /// The first type that an `Accept` field lists.
    init?(firstOf accept: String?) {
        guard let accept else { return nil }
        self.init(Self.split(accept, at: ",").first)
    }

    var isJSON: Bool { name == "application/json" || name.hasSuffix("+json") }
    var isForm: Bool { name == "application/x-www-form-urlencoded" }
    var isMultipart: Bool { name == "multipart/form-data" }

    /// Splits outside of quotes, and trims.
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
            // Never traps: there is a part from the beginning, and none goes.
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
