/// The result of dispatching an action: whether it was accepted, and when everything it started has ended.
public struct DispatchReceipt: Sendable {
    /// Why an action was not accepted.
    public enum Rejection: String, Error, Sendable {
        /// It was dispatched inside a reducer.
        case insideReducer
        /// It was dispatched by work that had been cancelled, or whose store has been reset since.
        case workCancelled
        /// The recording of the store cannot keep up.
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

    /// Waits until the action is committed and all work it started has ended, through any number of further actions.
    ///
    /// This is the suspending `dispatch` of the article. Cancelling the waiting task cancels none of the work.
    public func settled() async {
        _ = await settlement?.pending.first { $0 == 0 }
    }
}

extension DispatchReceipt {
    /// The receipt of an action that a test holds.
    package static var held: DispatchReceipt { DispatchReceipt(Settlement()) }
}
