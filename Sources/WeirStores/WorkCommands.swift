import WeirFlows

/// What a reducer requests of the work while it reduces one action; carried out once the action is committed.
package final class WorkCommands<Action: Sendable>: Sendable {
    private let commands = Locked<[WorkCommand<Action>]>([])

    package init() {}

    /// The dispatcher for the reducer.
    package var dispatch: Dispatcher<Action> {
        Dispatcher(
            send: { _, _ in DispatchReceipt(rejected: .insideReducer) },
            command: { [self] command in commands.withLock { $0.append(command) } })
    }

    /// The commands in order, without work that the same turn cancelled again.
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
