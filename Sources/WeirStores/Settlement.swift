import WeirFlows

/// Everything that a dispatched action has started: itself, its work, and what that dispatches and starts in turn.
final class Settlement: Sendable {
    /// How much of it has not ended.
    let pending = MutableStateFlow(0)
    /// The revision of the first action's state.
    let revision = MutableStateFlow<Int64?>(nil)

    /// Something began.
    func enter() { pending.mutate { $0 += 1 } }

    /// Something ended.
    func leave() { pending.mutate { $0 -= 1 } }

    /// An action was committed.
    ///
    /// The revision of the first one belongs to the receipt.
    func commit(_ revision: Int64) {
        self.revision.compareAndSet(expect: nil, update: revision)
    }
}
