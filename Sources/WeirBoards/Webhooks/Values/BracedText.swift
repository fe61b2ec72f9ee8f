/// A text with names in double braces, taken apart: `Deploy {{body.ref}}`.
///
/// `{{{{` is two literal opening braces. Closing braces outside a name are literal, too.
package enum BracedText {
    /// A piece of a text.
    package enum Part: Sendable, Hashable {
        case text(String)
        /// What stands between the braces.
        case name(String)
    }

    /// The pieces of a text, in order; nil if braces are opened and not closed.
    package static func parts(of text: String) -> [Part]? {
        var parts: [Part] = []
        var (fixed, rest) = ("", Substring(text))
        while let open = rest.firstRange(of: "{{") {
            fixed += rest[..<open.lowerBound]
            rest = rest[open.upperBound...]
            if rest.hasPrefix("{{") {
                fixed += "{{"
                rest = rest.dropFirst(2)
                continue
            }
            guard let close = rest.firstRange(of: "}}") else { return nil }
            if !fixed.isEmpty { parts.append(.text(fixed)) }
            fixed = ""
            parts.append(.name(String(rest[..<close.lowerBound])))
            rest = rest[close.upperBound...]
        }
        fixed += rest
        if !fixed.isEmpty { parts.append(.text(fixed)) }
        return parts
    }

    /// The end of a sentence about a mistake: how to write braces that are text.
    package static let escape = "Write {{{{ for two braces that are text."
}
