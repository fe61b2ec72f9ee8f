import WeirOperations
import WeirStates

/// When operations that run while watched begin and end.
///
/// Pure.
///
/// The first viewer starts a run; the last one leaving ends it after a grace, which another viewer coming in time stops.
/// A run that ends by itself is started again while somebody watches, after a pause that doubles each time. One that was
/// cancelled by somebody stays away until viewers have gone and come again.
///
/// Every run that starts is the current one or is cancelled: of two that start at once, one by hand and one because somebody
/// watches, the one by hand stays.
struct WatchMachine: Sendable {
    /// What is to be done about an event.
    enum Action: Sendable, Equatable {
        /// Start a run.
        case start(String)
        /// Cancel that run.
        case cancel(run: String, CancellationCause)
        /// Tell of the timer when that time is over.
        case arm(String, timer: Int, Duration)
    }

    static let rolledOver = CancellationCause(EndCause.rolledOver)
    private let rolloverAfter: Int64
    private var operations: [String: WatchedOperation]

    init(_ operations: [String: Duration], rolloverAfter: Int64) {
        self.operations = operations.mapValues { WatchedOperation(stopAfter: $0) }
        self.rolloverAfter = rolloverAfter
    }

    /// Begins what is watched, where nothing of what was to be done has been done so far.
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

    /// Takes the operations that run while watched from now on.
    ///
    /// One that is gone is remembered with its viewers, as it may come back while they watch; its run ends. A changed one is
    /// started again for whoever watches.
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

    /// The ids of the operations that run while watched.
    var ids: [String] { operations.keys.sorted() }

    /// What is known of an operation.
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

    /// The time of the newest timer is over: the grace of one that nobody watches, else the pause before a restart.
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

    /// The run that was asked for has begun, and may have ended since.
    ///
    /// Another may have been started by hand in the meantime: then this one is not needed.
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
            // A run that was joined while it ended: there is no other, so another try is due.
            if operation.knows(run) { return Self.pause(id, &operation) }
            operation.stage = .running(run)
            guard operation.isAbandoned || isOutdated else { return nil }
            operation.stage = .ending(run)
            return operation.end(run, operation.isAbandoned ? .unwatched : .replaced)
        }
    }

    /// Somebody started a run, watched or not: it takes the place of the one that continues, if one does.
    mutating func adopt(_ id: String, run: String) -> [Action] {
        guard var operation = operations[id], !operation.knows(run) else { return [] }
        defer { operations[id] = operation }
        if let phase = operation.takeEarly(run) {
            // It is over already. Where nothing else continues or is on its way, viewers get another.
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

    /// A run is in its end state.
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

    /// A run that was to be cancelled is not there any more.
    ///
    /// - Returns: What is to be done, if that was news.
    mutating func gone(_ run: String) -> [Action] {
        operations.filter { $0.value.current == run || $0.value.leaving.contains(run) }.keys.sorted()
            .compactMap { ended($0, run: run, .cancelled) }
    }

    /// A run has come to a revision.
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
