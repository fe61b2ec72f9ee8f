/// One step that takes a page's document from one change to the next; `page-contract.md` describes the client's side.
///
/// Encoded as a list: `["m", id, html]`, `["a", id, html]`, `["p", id, html]`, `["b", id, html]`, `["r", id]`,
/// `["t", id, text]`, `["s", id, {name: value}]`; a `1` behind it means that a page may lack the element.
package indirect enum Patch: Sendable, Hashable {
    /// The element with that id becomes the one in the HTML, which has the same id.
    case morph(id: String, html: String)
    /// The element in the HTML becomes the last child of the element with that id, unless one of its id is there.
    case append(to: String, html: String)
    /// The element in the HTML becomes the first child of the element with that id, unless one of its id is there.
    case prepend(to: String, html: String)
    /// The element in the HTML is put in front of the element with that id, unless one of its id is there.
    case insert(before: String, html: String)
    /// The element with that id goes, if it is there.
    case remove(id: String)
    /// The text of the element with that id becomes this one.
    case text(id: String, String)
    /// Attributes of the element with that id get these values, and those without a value go.
    case attributes(id: String, [String: String?])
    /// The same as another, if the element is there: an item of a list that keeps only its newest.
    case ifPresent(Patch)
}

extension Patch {
    /// The same, if the element is there.
    var asOptional: Patch {
        switch self {
        case .ifPresent, .remove: self
        case .morph, .append, .prepend, .insert, .text, .attributes: .ifPresent(self)
        }
    }

    /// Whether it sends one of these elements as a whole.
    func replaces(_ ids: [String]) -> Bool {
        switch self {
        case .morph(let id, _): ids.contains(id)
        case .ifPresent(let patch): patch.replaces(ids)
        case .append, .prepend, .insert, .remove, .text, .attributes: false
        }
    }

    /// About how many bytes it takes.
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
    /// One of the members of the list that a patch is encoded as.
    package enum Member: Sendable {
        /// A text.
        case text(String)
        /// Attributes in the order of their names, some without a value.
        case attributes([(name: String, value: String?)])
        /// That a page may lack the element.
        case optional
    }

    /// The members of the list.
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
