import WeirFlows

/// What was seen, in order, on whatever threads; a test can wait until so much was.
final class Seen<Value: Sendable>: Sendable {
    private let flow = MutableStateFlow<[Value]>([], areEquivalent: { _, _ in false })

    var all: [Value] { flow.value }

    func add(_ value: Value) {
        flow.mutate { $0.append(value) }
    }

    /// Waits until at least so many were seen.
    func count(atLeast count: Int) async -> [Value] {
        await flow.first { $0.count >= count } ?? []
    }
}
