package import WeirStates

/// A place in a value: names with points between them, such as `body.commits.0.id`.
///
/// A whole number names an element of a list, from 0.
package struct ValuePath: Sendable, Hashable, CustomStringConvertible {
    /// The names, outermost first; never none.
    package let names: [String]

    /// Reads a path: at most 20 names of letters, digits, hyphens and underscores; nil for anything else.
    package init?(_ text: String) {
        let names = text.split(separator: "." as Character, omittingEmptySubsequences: false).map(String.init)
        guard (1...20).contains(names.count), names.allSatisfy(Self.isName) else { return nil }
        self.names = names
    }

    private init(names: [String]) { self.names = names }

    /// The first name: what the path leads through, such as `body`.
    package var root: String { names.first ?? "" }

    /// The path below its first name; nil if there is nothing below.
    package var below: ValuePath? { names.count > 1 ? ValuePath(names: Array(names.dropFirst())) : nil }

    /// The value at this place; nil if there is none.
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
