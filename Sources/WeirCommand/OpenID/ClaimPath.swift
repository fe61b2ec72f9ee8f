package import WeirStates

/// The place of a claim: its name, or names separated by dots for a claim within another, as `realm_access.roles`.
///
/// A claim whose own name has dots, as `https://id.example/groups`, is found by its whole name first.
package struct ClaimPath: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) { description = text }

    /// The claim's value; nil if there is none, or null.
    package func value(in claims: JSONValue) -> JSONValue? {
        var value = claims[description]
        if value == nil {
            value = claims
            for name in description.split(separator: ".") { value = value?[String(name)] }
        }
        guard let value, value != .null else { return nil }
        return value
    }

    /// The texts of a claim that is a list of texts or one text; nil if it is absent or something else.
    package func texts(in claims: JSONValue) -> [String]? {
        guard let value = value(in: claims) else { return nil }
        if let text = value.string { return [text] }
        return value.array.map { $0.compactMap(\.string) }
    }
}
