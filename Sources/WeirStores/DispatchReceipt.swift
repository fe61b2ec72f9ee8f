import WeirFlows

/// The result of dispatching an action: whether it was accepted, and when everything it started has ended.
public struct DispatchReceipt: Sendable {
    /// Why an action was not accepted.
    public enum Rejection: String, Error, Sendable {
        /// It was dispatched inside a reducer.
        case insideReducer
        /// It was dispatched by work that was cancelled, or whose store has been reset since.
        case workCancelled
        /// The store's changes are not recorded fast enough.
        case overloaded
    }

    /// Why the action was not accepted; nil if it was.
    public let rejection: Rejection?
    private let settlement: Settlement?

    init(_ settlement: Settlement) {
        rejection = nil
        self.settlement = settlement
    }

    /// Creates the receipt of an action that was not accepted.
    public init(rejected rejection: Rejection) {
        self.rejection = rejection
        settlement = nil
    }

    /// Waits until the action is committed.
    ///
    /// - Returns: the revision of the resulting state; nil if the action was rejected or the waiting task was
    ///   cancelled.
    @discardableResult
    public func committed() async -> Int64? {
        await settlement?.revision.first { $0 != nil } ?? nil
    }

    /// Waits until the action is committed and all work it started has ended, including further actions and their work.
    ///
    /// This is the suspending `dispatch` of *Redux for KMP*. Cancelling the waiting task does not cancel the work.
    public func settled() async {
        _ = await settlement?.pending.first { $0 == 0 }
    }
}

extension DispatchReceipt {
    /// An accepted receipt for tests, which never settles or commits.
    package static var held: DispatchReceipt { DispatchReceipt(Settlement()) }
}

/// Tracks everything that a dispatched action starts: the action, its work, and recursively the actions and work of
/// that.
final class Settlement: Sendable {
    /// The number of actions and work that have not ended.
    let pending = MutableStateFlow(0)
    let revision = MutableStateFlow<Int64?>(nil)

    func enter() { pending.mutate { $0 += 1 } }

    func leave() { pending.mutate { $0 -= 1 } }

    /// Records the revision of the first commit; has no effect for later ones.
    func commit(_ revision: Int64) {
        self.revision.compareAndSet(expect: nil, update: revision)
    }
}
