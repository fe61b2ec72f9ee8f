/// Access to a store for a reducer, which starts work with it, and for that work, which dispatches its results.
public struct Dispatcher<Action: Sendable>: Sendable {
    private let send: @Sendable (Action, String?) -> DispatchReceipt
    private let command: @Sendable (WorkCommand<Action>) -> Void

    /// Creates a dispatcher from its functions, for a store of your own or for a test.
    /// - Parameters:
    ///   - send: receives an action and its cause.
    ///   - command: receives what the reducer requests of the work.
    public init(
        send: @escaping @Sendable (Action, String?) -> DispatchReceipt,
        command: @escaping @Sendable (WorkCommand<Action>) -> Void
    ) {
        self.send = send
        self.command = command
    }

    /// Dispatches an action, like ``Store/dispatch(_:cause:)``.
    ///
    /// The action is rejected in a reducer, and in work that was cancelled or whose store has been reset since, so that
    /// an older result never overwrites a newer one.
    @discardableResult
    public func callAsFunction(_ action: Action, cause: String? = nil) -> DispatchReceipt {
        send(action, cause)
    }

    /// Starts work once the current action is committed.
    ///
    /// The work cannot throw: a failure is an action, and so a state.
    /// - Parameters:
    ///   - id: the id to cancel the work by; nil for work that only ``Store/reset(cause:)`` cancels.
    ///   - cancelInFlight: whether running work with that id is cancelled first.
    ///   - body: the work. It can suspend, and runs once.
    public func run(
        id: String? = nil, cancelInFlight: Bool = false, _ body: @escaping @Sendable (Dispatcher<Action>) async -> Void
    ) {
        command(.run(id: id, cancelInFlight: cancelInFlight, body: body))
    }

    /// Cancels the work with that id, even if it was requested in the same turn.
    public func cancel(id: String) {
        command(.cancel(id: id))
    }
}

/// What a reducer requests of its store's work.
public enum WorkCommand<Action: Sendable>: Sendable {
    /// To start.
    case run(id: String?, cancelInFlight: Bool, body: @Sendable (Dispatcher<Action>) async -> Void)
    /// To cancel the work with that id.
    case cancel(id: String)
}
