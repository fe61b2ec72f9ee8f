import WeirFlows

/// A pure function from a state and an action to the next state, which can also start work.
///
/// Based on the `StateReducer` of *Redux for KMP*. Unlike there it is synchronous: a reducer that suspends could
/// overwrite the result of another action. Long-running work goes through ``Dispatcher/run(id:cancelInFlight:_:)`` and
/// dispatches its result as a further action.
public protocol Reducer<State, Action, Effect>: Sendable {
    /// The type of the store's state.
    associatedtype State: Equatable & Sendable
    /// The type of the actions.
    associatedtype Action: Sendable
    /// The type of one-time effects outside the state, such as a message or a navigation.
    associatedtype Effect: Sendable

    /// The state of a new store, and after a reset.
    var initialState: State { get }

    /// Computes the state after an action.
    ///
    /// Called once per action, never concurrently. Must not block.
    /// - Parameters:
    ///   - action: the action.
    ///   - state: the state before the action.
    ///   - dispatch: starts and cancels work. Dispatching an action from here is rejected: return the state instead.
    /// - Returns: the state after the action, and its effects.
    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect>
}

/// The result of reducing an action: the next state and its effects.
public struct Reduced<State: Sendable, Effect: Sendable>: Sendable {
    /// The state after the action.
    public let state: State
    /// The effects of the action, in order.
    public let effects: [Effect]

    /// Creates a result.
    public init(_ state: State, effects: [Effect] = []) {
        self.state = state
        self.effects = effects
    }

    /// Creates a result with effects.
    public init(_ state: State, _ effects: Effect...) {
        self.init(state, effects: effects)
    }
}

/// The store access of a reducer, which starts work with it, and of that work, which dispatches its results.
public struct Dispatcher<Action: Sendable>: Sendable {
    private let send: @Sendable (Action, String?) -> DispatchReceipt
    private let command: @Sendable (WorkCommand<Action>) -> Void

    /// Creates a dispatcher from its functions, for a custom store or a test.
    /// - Parameters:
    ///   - send: receives an action and its cause.
    ///   - command: receives the reducer's requests to start and cancel work.
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
    /// Work cannot throw: dispatch an action that represents the failure as a state.
    /// - Parameters:
    ///   - id: the id to cancel the work by; nil for work that only ``Store/reset(cause:)`` cancels.
    ///   - cancelInFlight: whether running work with that id is cancelled first.
    ///   - body: the work. It can suspend, and runs once.
    public func run(
        id: String? = nil, cancelInFlight: Bool = false, _ body: @escaping @Sendable (Dispatcher<Action>) async -> Void
    ) {
        command(.run(id: id, cancelInFlight: cancelInFlight, body: body))
    }

    /// Cancels the work with that id, even if the same action requested it.
    public func cancel(id: String) {
        command(.cancel(id: id))
    }
}

/// A reducer's request to its store.
public enum WorkCommand<Action: Sendable>: Sendable {
    /// Start work.
    case run(id: String?, cancelInFlight: Bool, body: @Sendable (Dispatcher<Action>) async -> Void)
    /// Cancel the work with that id.
    case cancel(id: String)
}

/// Collects the work that a reducer requests for one action, until the action is committed.
package final class WorkCommands<Action: Sendable>: Sendable {
    private let commands = Locked<[WorkCommand<Action>]>([])

    package init() {}

    package var dispatch: Dispatcher<Action> {
        Dispatcher(
            send: { _, _ in DispatchReceipt(rejected: .insideReducer) },
            command: { [self] command in commands.withLock { $0.append(command) } })
    }

    /// Removes and returns the commands in order, without work that a later command of the same action cancels.
    package func take() -> [WorkCommand<Action>] {
        let all = commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
        return all.enumerated().filter { index, command in
            guard case .run(let id?, _, _) = command else { return true }
            return !all.dropFirst(index + 1).contains { later in
                if case .cancel(let cancelled) = later { cancelled == id } else { false }
            }
        }.map(\.element)
    }
}
