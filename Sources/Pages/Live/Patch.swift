/// One step that brings a page's document from one change to the next; the client's side is told in `page-contract.md`.
///
/// Encoded as a list: `["m", id, html]`, `["a", id, html]`, `["p", id, html]`, `["r", id]`, `["t", id, text]`;
/// a `1` behind the HTML of a morph says that a page may lack the element.
public enum Patch: Sendable, Hashable {
    /// The element of that id becomes the one in the HTML, which has the same id.
    case morph(id: String, html: String)
    /// The same, if the element is there: an item of a list that keeps only its newest.
    case morphIfPresent(id: String, html: String)
    /// The element in the HTML becomes the last child of the element of that id, unless one of its id is there.
    case append(to: String, html: String)
    /// The element in the HTML becomes the first child of the element of that id, unless one of its id is there.
    case prepend(to: String, html: String)
    /// The element of that id goes, if it is there.
    case remove(id: String)
    /// The text of the element of that id becomes this one.
    case text(id: String, String)
}

extension Patch: Encodable {
    /// Writes the list.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        switch self {
        case .morph(let id, let html): try list.encode(contentsOf: ["m", id, html])
        case .morphIfPresent(let id, let html):
            try list.encode(contentsOf: ["m", id, html])
            try list.encode(1)
        case .append(let id, let html): try list.encode(contentsOf: ["a", id, html])
        case .prepend(let id, let html): try list.encode(contentsOf: ["p", id, html])
        case .remove(let id): try list.encode(contentsOf: ["r", id])
        case .text(let id, let text): try list.encode(contentsOf: ["t", id, text])
        }
    }
}
