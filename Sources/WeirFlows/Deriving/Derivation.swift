/// How a value is derived from the values of one or more roots.
///
/// Deriving from a derived flow composes the two, down to the roots, and a root that is reached twice is present once.
/// Both sides of a diamond are therefore always derived from the same value of their common root.
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

    /// A separate flow for one subscriber and its policy.
    ///
    /// It lives as long as that subscriber, and releases the roots together with it. Only the roots refer to it in the
    /// meantime, weakly.
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

    /// The values of all roots as one flow, which ends when the last root ends.
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
