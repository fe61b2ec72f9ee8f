import WeirOperations
import WeirStates

/// Decides when to start and end operations that run only while watched.
///
/// Pure.
///
/// The first viewer starts a run. After the last viewer leaves, the run ends after a grace period unless another viewer
/// arrives. A run that ends without being asked is restarted while there are viewers, after a delay that doubles each
/// time. A run that a person cancelled is not restarted until all viewers have left and a new one arrives.
///
/// Every started run is either the current one or is cancelled: if one is started by hand and one for viewers at the
/// same time, the one started by hand remains.
struct WatchMachine: Sendable {
    enum Action: Sendable, Equatable {
        case start(String)
        case cancel(run: String, CancellationCause)
        /// Call `elapsed(_:timer:)` after the duration.
        case arm(String, timer: Int, Duration)
    }

    static let rolledOver = CancellationCause(EndCause.rolledOver)
    private let rolloverAfter: Int64
    private var operations: [String: WatchedOperation]

    init(_ operations: [String: Duration], rolloverAfter: Int64) {
        self.operations = operations.mapValues { WatchedOperation(stopAfter: $0) }
        self.rolloverAfter = rolloverAfter
    }

    /// Starts all watched operations, if none of the earlier actions was performed.
    mutating func begin() -> [Action] {
        ids.compactMap { id in
            change(id) { operation in
                let viewers = operation.viewers
                operation = WatchedOperation(stopAfter: operation.stopAfter)
                operation.viewers = viewers
                operation.isAbandoned = viewers == 0
                guard viewers > 0 else { return nil }
                operation.stage = .starting
                return .start(id)
            }
        }
    }

    /// Replaces the operations that run only while watched.
    ///
    /// The run of a removed operation ends; its viewer count is kept, since the operation may return. A changed
    /// operation is restarted if it has viewers.
    mutating func take(_ operations: [String: Duration], changed: Set<String>) -> [Action] {
        let gone = Set(self.operations.keys).subtracting(operations.keys)
        for (id, stopAfter) in operations {
            self.operations[id, default: .init(stopAfter: stopAfter)].stopAfter = stopAfter
        }
        for id in self.operations.keys { self.operations[id]?.isGone = gone.contains(id) }
        return changed.union(gone).sorted().compactMap { id in
            change(id) { operation in
                operation.isOutdated = operation.stage == .starting
                guard case .running(let run) = operation.stage else { return nil }
                operation.stage = operation.isGone ? .idle : .ending(run)
                return operation.end(run, .replaced)
            }
        }
    }

    var ids: [String] { operations.keys.sorted() }

    subscript(id: String) -> WatchedOperation? { operations[id] }

    mutating func watch(_ ids: [String]) -> [Action] {
        ids.compactMap { id in
            change(id) { operation in
                operation.viewers += 1
                guard operation.viewers == 1 else { return nil }
                operation.isAbandoned = false
                guard operation.stage != .waiting else { return nil }
                operation.timer += 1
                guard operation.stage == .idle else { return nil }
                operation.failures = 0
                operation.stage = .starting
                return .start(id)
            }
        }
    }

    mutating func release(_ ids: [String]) -> [Action] {
        ids.compactMap { id in
            change(id) { operation in
                operation.viewers -= 1
                guard operation.viewers == 0 else { return nil }
                operation.timer += 1
                if operation.stage == .waiting { operation.stage = .idle }
                return .arm(id, timer: operation.timer, operation.stopAfter)
            }
        }
    }

    /// Handles a due timer: the end of the grace period without viewers, otherwise the end of the restart delay.
    mutating func elapsed(_ id: String, timer: Int) -> Action? {
        change(id) { operation in
            guard operation.timer == timer else { return nil }
            guard operation.viewers == 0 else {
                guard operation.stage == .waiting else { return nil }
                operation.stage = .starting
                return .start(id)
            }
            operation.isAbandoned = true
            guard case .running(let run) = operation.stage else { return nil }
            operation.stage = .ending(run)
            return operation.end(run, .unwatched)
        }
    }

    /// Handles the start of a requested run, which may already have ended.
    ///
    /// The run is cancelled if another one was started by hand in the meantime.
    mutating func started(_ id: String, run: String) -> Action? {
        change(id) { operation in
            let phase = operation.takeEarly(run)
            let isOutdated = operation.isOutdated
            operation.isOutdated = false
            if operation.stage == .starting, operation.isGone { operation.stage = .idle }
            guard operation.stage == .starting else {
                return phase != nil || operation.knows(run) ? nil : operation.end(run, .replaced)
            }
            if let phase { return Self.end(id, &operation, phase) }
            // The start joined a run that was ending, so there is no new run and another attempt is due.
            if operation.knows(run) { return Self.pause(id, &operation) }
            operation.stage = .running(run)
            guard operation.isAbandoned || isOutdated else { return nil }
            operation.stage = .ending(run)
            return operation.end(run, operation.isAbandoned ? .unwatched : .replaced)
        }
    }

    /// Handles a run that was started by hand: it replaces the active run, if any.
    mutating func adopt(_ id: String, run: String) -> [Action] {
        guard var operation = operations[id], !operation.knows(run) else { return [] }
        defer { operations[id] = operation }
        if let phase = operation.takeEarly(run) {
            // The run has already ended. If no other run is active or starting, viewers get a new one.
            guard operation.stage == .idle else { return [] }
            return [Self.end(id, &operation, phase)].compactMap { $0 }
        }
        if operation.isGone { return [operation.end(run, .replaced)] }
        var actions: [Action] = []
        if case .running(let other) = operation.stage { actions.append(operation.end(other, .replaced)) }
        operation.stage = .running(run)
        operation.timer += 1
        if operation.viewers == 0 { actions.append(.arm(id, timer: operation.timer, operation.stopAfter)) }
        return actions
    }

    mutating func couldNotStart(_ id: String) -> Action? {
        change(id) { operation in
            guard operation.stage == .starting else { return nil }
            operation.isOutdated = false
            guard !operation.isGone else {
                operation.stage = .idle
                return nil
            }
            return Self.pause(id, &operation)
        }
    }

    mutating func ended(_ id: String, run: String, _ phase: Phase) -> Action? {
        change(id) { operation in
            let wasLeaving = operation.leaving.remove(run) != nil
            switch operation.stage {
            case .ending(run):
                operation.stage = .idle
                operation.remember(run)
                guard operation.viewers > 0 else { return nil }
                operation.stage = .starting
                return .start(id)
            case .running(run):
                operation.remember(run)
                return Self.end(id, &operation, phase)
            default:
                if wasLeaving {
                    operation.remember(run)
                } else if !operation.over.contains(run) {
                    operation.early[run] = phase
                }
                return nil
            }
        }
    }

    /// Handles a run that could not be cancelled because it no longer exists.
    ///
    /// - Returns: The resulting actions.
    mutating func gone(_ run: String) -> [Action] {
        operations.filter { $0.value.current == run || $0.value.leaving.contains(run) }.keys.sorted()
            .compactMap { ended($0, run: run, .cancelled) }
    }

    mutating func recorded(_ id: String, run: String, revision: Int64) -> Action? {
        let limit = rolloverAfter
        return change(id) { operation in
            guard revision >= limit, operation.stage == .running(run) else { return nil }
            operation.stage = .ending(run)
            operation.failures = 0
            return operation.end(run, Self.rolledOver)
        }
    }

    private static func end(_ id: String, _ operation: inout WatchedOperation, _ phase: Phase) -> Action? {
        operation.stage = .idle
        if phase == .cancelled { return nil }
        if phase == .succeeded { operation.failures = 0 }
        return pause(id, &operation)
    }

    private static func pause(_ id: String, _ operation: inout WatchedOperation) -> Action? {
        guard operation.viewers > 0 else {
            operation.stage = .idle
            return nil
        }
        operation.stage = .waiting
        operation.failures += 1
        operation.timer += 1
        return .arm(id, timer: operation.timer, .seconds(1 << min(operation.failures - 1, 6)))
    }

    private mutating func change(_ id: String, _ body: (inout WatchedOperation) -> Action?) -> Action? {
        guard var operation = operations[id] else { return nil }
        defer { operations[id] = operation }
        return body(&operation)
    }
}
