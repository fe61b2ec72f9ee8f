/// One step that takes a page's document from one change to the next; `page-contract.md` describes the client's side.
///
/// Encoded as a list: `["m", id, html]`, `["a", id, html]`, `["p", id, html]`, `["r", id]`, `["t", id, text]`; a `1`
/// after the HTML of a morph means that a page may lack the element.
package enum Patch: Sendable, Hashable {
    /// The element with that id becomes the one in the HTML, which has the same id.
    case morph(id: String, html: String)
    /// The same, if the element is there: an item of a list that keeps only its newest.
    case morphIfPresent(id: String, html: String)
    /// The element in the HTML becomes the last child of the element with that id, unless one of its id is there.
    case append(to: String, html: String)
    /// The element in the HTML becomes the first child of the element with that id, unless one of its id is there.
    case prepend(to: String, html: String)
    /// The element with that id goes, if it is there.
    case remove(id: String)
    /// The text of the element with that id becomes this one.
    case text(id: String, String)
}

extension Patch {
    /// The texts of the list.
    package var texts: [String] {
        switch self {
        case .morph(let id, let html), .morphIfPresent(let id, let html): ["m", id, html]
        case .append(let id, let html): ["a", id, html]
        case .prepend(let id, let html): ["p", id, html]
        case .remove(let id): ["r", id]
        case .text(let id, let text): ["t", id, text]
        }
    }

    /// Whether a page may lack the element, which a `1` behind the texts says.
    package var isOptional: Bool {
        if case .morphIfPresent = self { true } else { false }
    }
}

extension Patch: Encodable {
    /// Writes the list.
    package func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(contentsOf: texts)
        if isOptional { try list.encode(1) }
    }
}
