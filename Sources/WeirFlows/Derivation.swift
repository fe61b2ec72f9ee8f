/// A value as a function of the values of one or more roots.
///
/// Deriving from a derived flow composes the two functions down to the roots, and a root that is reached twice is
/// stored once. Both sides of a diamond therefore derive from the same value of their common root.
struct Derivation<Value: Sendable>: Sendable {
    let roots: [any FlowRoot]
    let evaluate: @Sendable (RootValues) -> Value

    init(_ root: any FlowRoot<Value>) {
        roots = [root]
        evaluate = { $0.value(of: root) }
    }

    private init(roots: [any FlowRoot], evaluate: @escaping @Sendable (RootValues) -> Value) {
        self.roots = roots
        self.evaluate = evaluate
    }

    func map<Derived>(_ transform: @escaping @Sendable (Value) -> Derived) -> Derivation<Derived> {
        Derivation<Derived>(roots: roots) { transform(evaluate($0)) }
    }

    func combine<Other, Derived>(
        _ other: Derivation<Other>, _ transform: @escaping @Sendable (Value, Other) -> Derived
    ) -> Derivation<Derived> {
        let others = other.roots.filter { root in !roots.contains { $0 === root } }
        return Derivation<Derived>(roots: roots + others) { transform(evaluate($0), other.evaluate($0)) }
    }

    var value: Value { evaluate(RootValues.current(of: roots)) }

    /// Creates a flow for one subscriber and its policy.
    ///
    /// It lives as long as that subscriber, and releases the roots together with it. The roots refer to it weakly.
    func relay(
        _ policy: DeliveryPolicy, areEquivalent: @escaping @Sendable (Value, Value) -> Bool
    ) -> FlowStorage<Value> {
        let policy = policy == .conflated ? policy : .lossless
        let relay = FlowStorage(value, areEquivalent: areEquivalent)
        let evaluate = evaluate
        if roots.count == 1 {
            relay.upstream = roots.map { root in
                observe(root, policy) { [weak relay] in
                    relay?.set(evaluate($0))
                } onEnd: { [weak relay] in
                    relay?.finish()
                }
            }
        } else {
            let joint = joint(policy)
            relay.upstream = [
                joint.observe(policy) { [weak relay] in
                    relay?.set(evaluate($0))
                } onEnd: { [weak relay] in
                    relay?.finish()
                }
            ]
        }
        return relay
    }

    /// The values of all roots as one flow, which ends when the last root does.
    private func joint(_ policy: DeliveryPolicy) -> FlowStorage<RootValues> {
        let joint = FlowStorage(RootValues.current(of: roots), areEquivalent: { _, _ in false })
        let open = FlowStorage(roots.count, areEquivalent: ==)
        joint.upstream = roots.map { root in
            observe(root, policy) { [weak joint] one in
                _ = joint?.reserve { $0.merge(one) }
            } onEnd: { [weak joint] in
                if open.update({ $0 - 1 }).new == 0 { joint?.finish() }
            }
        }
        return joint
    }

    private func observe<Root: FlowRoot>(
        _ root: Root, _ policy: DeliveryPolicy, onValues: @escaping @Sendable (RootValues) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription {
        root.observe(policy) { value in
            var values = RootValues()
            values.set(value, of: root)
            onValues(values)
        } onEnd: {
            onEnd()
        }
    }
}

struct RootValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Reads until no root has committed in between, so that the values belong to one moment.
    static func current(of roots: [any FlowRoot]) -> RootValues {
        while true {
            var read = RootValues()
            let versions = roots.map { read.read($0) }
            if roots.count == 1 || roots.map(\.version) == versions { return read }
        }
    }

    func value<Value>(of root: any FlowRoot<Value>) -> Value {
        (values[ObjectIdentifier(root)] as? Value) ?? root.versioned.value
    }

    mutating func set<Value: Sendable>(_ value: Value, of root: any FlowRoot<Value>) {
        values[ObjectIdentifier(root)] = value
    }

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

/// A flow that stores its own value, as a source for derived flows.
protocol FlowRoot<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The current value and a number that changes with it.
    var versioned: (value: Value, version: Int) { get }

    /// Calls back with the current value and each later one, without replay.
    func observe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription
}

extension FlowStorage: FlowRoot {
    var versioned: (value: Value, version: Int) {
        let (value, version, _) = snapshot
        return (value, version)
    }

    func observe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription {
        let subscriber = PushSubscriber(self, policy, demand: .max, onValue: onValue, onEnd: { _ in onEnd() })
        join(subscriber, replays: false)
        return FlowSubscription(subscriber)
    }
}

/// Adapts another implementation of ``StateFlow`` as a root.
final class ForeignRoot<Flow: StateFlow>: FlowRoot {
    typealias Value = Flow.Value

    private let flow: Flow

    init(_ flow: Flow) {
        self.flow = flow
    }

    var versioned: (value: Flow.Value, version: Int) { (flow.value, 0) }

    func observe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Flow.Value) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription {
        flow.subscribe(policy, onValue: onValue, onEnd: { _ in onEnd() })
    }
}
