/// A JSON value that is being encoded, possibly by several containers.
final class JSONNode {
    private enum Place {
        case member(String)
        case element(Int)
    }

    private enum Content {
        case nothing
        case value(JSONValue)
        case object([String: JSONValue])
        case array([JSONValue])
    }

    private var content = Content.nothing
    /// The children that are still being encoded, and where they go.
    private var children: [(place: Place, node: JSONNode)] = []

    /// The number of elements of a list so far.
    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    /// Turns it into an object, if it is nothing yet.
    func becomeObject() {
        if case .nothing = content { content = .object([:]) }
    }

    /// Turns it into a list, if it is nothing yet.
    func becomeArray() {
        if case .nothing = content { content = .array([]) }
    }

    func set(_ value: JSONValue) { content = .value(value) }

    func set(_ value: JSONValue, for name: String) {
        guard case .object(var members) = content else { return }
        content = .nothing
        members[name] = value
        content = .object(members)
    }

    func append(_ value: JSONValue) {
        guard case .array(var elements) = content else { return }
        content = .nothing
        elements.append(value)
        content = .array(elements)
    }

    /// A child that is encoded later.
    func child(for name: String) -> JSONNode {
        let node = JSONNode()
        children.append((.member(name), node))
        return node
    }

    /// An element that is encoded later.
    func child() -> JSONNode {
        let node = JSONNode()
        children.append((.element(count), node))
        append(.null)
        return node
    }

    /// The encoded value; nil if nothing was encoded.
    func finished() -> JSONValue? {
        for (place, node) in children {
            let value = node.finished() ?? [:]
            switch place {
            case .member(let name): set(value, for: name)
            case .element(let index):
                guard case .array(var elements) = content else { continue }
                elements[index] = value
                content = .array(elements)
            }
        }
        children = []
        switch content {
        case .nothing: return nil
        case .value(let value): return value
        case .object(let members): return .object(members)
        case .array(let elements): return .array(elements)
        }
    }
}
