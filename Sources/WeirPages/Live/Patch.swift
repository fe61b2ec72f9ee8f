/// A step that updates a page's document; `page-contract.md` describes the client's side.
///
/// Encoded as a list: `["m", id, html]`, `["a", id, html]`, `["p", id, html]`, `["b", id, html]`, `["r", id]`, `["t", id,
/// text]`, `["s", id, {name: value}]`; a final `1` means that the page may lack the element.
package indirect enum Patch: Sendable, Hashable {
    /// Morphs the element with that id into the one in the HTML, which has the same id.
    case morph(id: String, html: String)
    /// Appends the element in the HTML to the element with that id, unless its own id exists.
    case append(to: String, html: String)
    /// Prepends the element in the HTML to the element with that id, unless its own id exists.
    case prepend(to: String, html: String)
    /// Inserts the element in the HTML before the element with that id, unless its own id exists.
    case insert(before: String, html: String)
    /// Removes the element with that id, if it exists.
    case remove(id: String)
    /// Replaces the text of the element with that id.
    case text(id: String, String)
    /// Sets attributes of the element with that id; nil removes one.
    case attributes(id: String, [String: String?])
    /// Applies another patch only if its element exists, such as an item of a list that keeps the newest ones.
    case ifPresent(Patch)
}

extension Patch {
    var asOptional: Patch {
        switch self {
        case .ifPresent, .remove: self
        case .morph, .append, .prepend, .insert, .text, .attributes: .ifPresent(self)
        }
    }

    /// Whether it sends one of these elements whole.
    func replaces(_ ids: [String]) -> Bool {
        switch self {
        case .morph(let id, _): ids.contains(id)
        case .ifPresent(let patch): patch.replaces(ids)
        case .append, .prepend, .insert, .remove, .text, .attributes: false
        }
    }

    var cost: Int {
        switch self {
        case .morph(let id, let text), .append(let id, let text), .prepend(let id, let text),
            .insert(let id, let text), .text(let id, let text):
            12 + id.utf8.count + text.utf8.count
        case .remove(let id): 8 + id.utf8.count
        case .attributes(let id, let changes):
            changes.reduce(12 + id.utf8.count) { $0 + 6 + $1.key.utf8.count + ($1.value?.utf8.count ?? 4) }
        case .ifPresent(let patch): 2 + patch.cost
        }
    }
}

extension Patch {
    package enum Member: Sendable {
        case text(String)
        /// Attributes, sorted by name; nil removes one.
        case attributes([(name: String, value: String?)])
        case optional
    }

    package var members: [Member] {
        switch self {
        case .morph(let id, let html): [.text("m"), .text(id), .text(html)]
        case .append(let id, let html): [.text("a"), .text(id), .text(html)]
        case .prepend(let id, let html): [.text("p"), .text(id), .text(html)]
        case .insert(let id, let html): [.text("b"), .text(id), .text(html)]
        case .remove(let id): [.text("r"), .text(id)]
        case .text(let id, let text): [.text("t"), .text(id), .text(text)]
        case .attributes(let id, let changes):
            [.text("s"), .text(id), .attributes(changes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })]
        case .ifPresent(let patch): patch.members + [.optional]
        }
    }
}
