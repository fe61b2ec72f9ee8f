/// Stands for a task, or anything else that can be cancelled, where a place in a flow is expected.
final class CancellingSeat: AnySeat, @unchecked Sendable {
    private let onCancel: @Sendable () -> Void

    init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    override func cancel() {
        if leave() { onCancel() }
    }
}
