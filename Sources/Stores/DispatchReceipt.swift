/// What sending an action answers: whether it was taken, and when all it set going has ended.
public struct DispatchReceipt: Sendable {
    /// Why an action was not taken.
    public enum Rejection: String, Error, Sendable {
        /// It was sent from inside a reducer.
        case insideReducer
        /// It was sent by work that had been cancelled, or whose store had been reset since.
        case workCancelled
        /// Whoever records the store cannot keep up.
        case overloaded
    }

    /// Why the action was not taken; nil when it was.
    public let rejection: Rejection?
    private let settlement: Settlement?

    init(_ settlement: Settlement) {
        rejection = nil
        self.settlement = settlement
    }

    /// Makes the receipt of an action that was not taken.
    public init(rejected rejection: Rejection) {
        self.rejection = rejection
        settlement = nil
    }

    /// Waits until the action is committed.
    ///
    /// - Returns: the revision of the state it led to; nil when it was rejected or the waiting task was cancelled.
    @discardableResult
    public func committed() async -> Int64? {
        await settlement?.revision.first { $0 != nil } ?? nil
    }

    /// Waits until the action is committed and all work has ended that it set going, through any number of further actions.
    ///
    /// This is the suspending `dispatch` of the text. Cancelling who waits cancels none of the work.
    public func settled() async {
        _ = await settlement?.pending.first { $0 == 0 }
    }
}

extension DispatchReceipt {
    /// The receipt of an action that a test holds.
    package static var held: DispatchReceipt { DispatchReceipt(Settlement()) }
}
