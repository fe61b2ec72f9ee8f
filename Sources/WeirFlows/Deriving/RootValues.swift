/// The values of several roots at one moment.
struct RootValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Reads each root once, so that no commit can occur between two reads of a root.
    static func current(of roots: [any FlowRoot]) -> RootValues {
        while true {
            var read = RootValues()
            let versions = roots.map { read.read($0) }
            if roots.count == 1 || roots.map(\.version) == versions { return read }
        }
    }

    /// The value of a root.
    func value<Value>(of root: any FlowRoot<Value>) -> Value {
        (values[ObjectIdentifier(root)] as? Value) ?? root.versioned.value
    }

    mutating func set<Value: Sendable>(_ value: Value, of root: any FlowRoot<Value>) {
        values[ObjectIdentifier(root)] = value
    }

    /// Adds the values of another set of roots.
    mutating func merge(_ other: RootValues) {
        values.merge(other.values) { $1 }
    }

    private mutating func read<Root: FlowRoot>(_ root: Root) -> Int {
        let (value, version) = root.versioned
        values[ObjectIdentifier(root)] = value
        return version
    }
}

extension FlowRoot {
    fileprivate var version: Int { versioned.version }
}
