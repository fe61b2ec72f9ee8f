package import WeirStates

/// A text with placeholders for values at paths: `Deploy {{body.ref}}`.
///
/// Inserted values are not parsed again.
package struct PathTemplate: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case text(String)
        case path(ValuePath)
    }

    let parts: [Part]

    /// Parses a template.
    ///
    /// Throws `Mistake` if its braces are malformed.
    package init(_ text: String) throws(Mistake) {
        guard let pieces = BracedText.parts(of: text) else {
            throw Mistake(
                sentence: "A place for a value that begins with {{ must end with }}. \(BracedText.escape)")
        }
        var parts: [Part] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.text(text))
            case .name(let name):
                guard let path = ValuePath(name.filter { $0 != " " }) else {
                    throw Mistake(
                        sentence: "“{{\(name.prefix(40))}}” names no value: write names with points between them, such "
                            + "as {{body.ref}}. \(BracedText.escape)")
                }
                parts.append(.path(path))
            }
        }
        self.parts = parts
    }

    package var paths: [ValuePath] {
        parts.compactMap { part in
            guard case .path(let path) = part else { return nil }
            return path
        }
    }

    /// The path, if the template is a single placeholder.
    var single: ValuePath? {
        guard parts.count == 1, case .path(let path) = parts.first else { return nil }
        return path
    }

    /// The text before the first placeholder.
    package var beginning: String {
        guard case .text(let text) = parts.first else { return "" }
        return text
    }

    /// The text with all values inserted; nil if one is missing.
    package func filled(_ value: (ValuePath) -> String?) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .path(let path):
                guard let value = value(path) else { return nil }
                text += value
            }
        }
        return text
    }

    package struct Mistake: Error {
        /// The error and its correction, in a sentence.
        package let sentence: String
    }
}

/// A path to a JSON value: names separated by dots, such as `body.commits.0.id`.
///
/// A whole number is an index into an array, from 0.
package struct ValuePath: Sendable, Hashable, CustomStringConvertible {
    /// The names, outermost first; never empty.
    package let names: [String]

    /// Parses a path: at most 20 names of letters, digits, hyphens and underscores; nil for anything else.
    package init?(_ text: String) {
        let names = text.split(separator: "." as Character, omittingEmptySubsequences: false).map(String.init)
        guard (1...20).contains(names.count), names.allSatisfy(Self.isName) else { return nil }
        self.names = names
    }

    private init(names: [String]) { self.names = names }

    /// The first name, such as `body`.
    package var root: String { names.first ?? "" }

    /// The path without its first name; nil if it has only one.
    package var below: ValuePath? { names.count > 1 ? ValuePath(names: Array(names.dropFirst())) : nil }

    /// The value at this path, or nil if it does not exist.
    package func value(in whole: JSONValue) -> JSONValue? {
        names.reduce(Optional(whole)) { value, name in
            guard case .array = value else { return value?[name] }
            return Int(name).flatMap { value?.element(at: $0) }
        }
    }

    package var description: String { names.joined(separator: ".") }

    private static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }
}

/// A parser for text with names in double braces: `Deploy {{body.ref}}`.
///
/// `{{{{` is two literal opening braces. Closing braces outside a name are literal, too.
package enum BracedText {
    package enum Part: Sendable, Hashable {
        case text(String)
        /// The text between the braces.
        case name(String)
    }

    /// The parts of a text, in order; nil if braces are opened and not closed.
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

    /// The text with `{{` for `{{{{`, or nil if it has a name in braces or braces that are not closed.
    package static func plain(_ text: String) -> String? {
        var plain = ""
        for part in parts(of: text) ?? [.name("")] {
            guard case .text(let fixed) = part else { return nil }
            plain += fixed
        }
        return plain
    }

    /// The end of an error message, which explains how to write literal braces.
    package static let escape = "Write {{{{ for two braces that are text."
}
