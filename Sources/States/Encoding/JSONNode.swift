/// A JSON value in the making, which several containers may be writing.
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
    /// What is still being made below, and where it goes.
    private var children: [(place: Place, node: JSONNode)] = []

    /// How many elements a list has so far.
    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    /// Makes it an object, if it is nothing yet.
    func becomeObject() {
        if case .nothing = content { content = .object([:]) }
    }

    /// Makes it a list, if it is nothing yet.
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

    /// A value below that is made later.
    func child(for name: String) -> JSONNode {
        let node = JSONNode()
        children.append((.member(name), node))
        return node
    }

    /// An element that is made later.
    func child() -> JSONNode {
        let node = JSONNode()
        children.append((.element(count), node))
        append(.null)
        return node
    }

    /// What was made; nil if nothing was.
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
