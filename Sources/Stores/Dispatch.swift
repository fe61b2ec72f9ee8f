/// The way back into a store: for a reducer to start work with, and for that work to tell its results.
public struct Dispatch<Action: Sendable>: Sendable {
    private let send: @Sendable (Action, String?) -> DispatchReceipt
    private let command: @Sendable (WorkCommand<Action>) -> Void

    /// Makes one of what it does; for a store of your own, or a test.
    /// - Parameters:
    ///   - send: takes an action and its cause.
    ///   - command: takes what is asked of the work.
    public init(
        send: @escaping @Sendable (Action, String?) -> DispatchReceipt,
        command: @escaping @Sendable (WorkCommand<Action>) -> Void
    ) {
        self.send = send
        self.command = command
    }

    /// Sends an action, as ``Store/dispatch(_:cause:)`` does.
    ///
    /// Rejected in a reducer, and in work that was cancelled or whose store was reset since: an older result can never
    /// write over a newer one.
    @discardableResult
    public func callAsFunction(_ action: Action, cause: String? = nil) -> DispatchReceipt {
        send(action, cause)
    }

    /// Starts work when the action at hand is committed.
    ///
    /// The work cannot throw: a failure is an action, and so a state.
    /// - Parameters:
    ///   - id: what the work can be cancelled by; nil for work that only ``Store/reset()`` cancels.
    ///   - cancelInFlight: whether work of that id which is going is cancelled first.
    ///   - body: the work. It suspends as it likes and runs once.
    public func run(
        id: String? = nil, cancelInFlight: Bool = false, _ body: @escaping @Sendable (Dispatch<Action>) async -> Void
    ) {
        command(.run(id: id, cancelInFlight: cancelInFlight, body: body))
    }

    /// Cancels the work of that id, also when it was asked for in the same turn.
    public func cancel(id: String) {
        command(.cancel(id: id))
    }
}

/// What a reducer asks of its store's work.
public enum WorkCommand<Action: Sendable>: Sendable {
    /// To begin.
    case run(id: String?, cancelInFlight: Bool, body: @Sendable (Dispatch<Action>) async -> Void)
    /// To end what goes under that id.
    case cancel(id: String)
}
