import Flows

/// What one sent action has set going: itself, its work, and what that sends and starts in turn.
final class Settlement: Sendable {
    /// How much of it has not ended.
    let pending = MutableStateFlow(0)
    /// The revision that the first action led to.
    let revision = MutableStateFlow<Int64?>(nil)

    /// Something began.
    func enter() { pending.mutate { $0 += 1 } }

    /// Something ended.
    func leave() { pending.mutate { $0 -= 1 } }

    /// An action was committed; the first one's revision is the receipt's.
    func commit(_ revision: Int64) {
        self.revision.compareAndSet(expect: nil, update: revision)
    }
}
