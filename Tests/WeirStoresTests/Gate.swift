import WeirFlows

/// A place where work waits until a test opens it, whatever happens to the task meanwhile.
final class Gate: Sendable {
    private let isOpen = MutableStateFlow(false)
    /// How many came to the gate, over time.
    let arrivals = MutableStateFlow(0)

    func open() { isOpen.value = true }

    func pass() async {
        arrivals.mutate { $0 += 1 }
        await Task.detached { [isOpen] in _ = await isOpen.first { $0 } }.value
    }
}

/// Values gathered from any thread.
final class Collected<Value: Sendable>: Sendable {
    private let flow = MutableStateFlow<[Value]>([], areEquivalent: { _, _ in false })

    var values: [Value] { flow.value }

    func add(_ value: Value) { flow.mutate { $0.append(value) } }

    /// Waits until so many were gathered.
    func count(_ count: Int) async -> [Value] { await flow.first { $0.count >= count } ?? [] }
}
