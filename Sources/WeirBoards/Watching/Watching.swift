import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Counts the viewers of each topic, and starts and stops operations that run only while watched.
final class Watching: Sendable {
    private struct Core {
        var machine: WatchMachine
        var viewers: [Topic: Int] = [:]
        var watched: Set<String> = []
        var alarms: [String: Alarm] = [:]
        var isStopped = false
        /// Whether another server runs these operations, so that this one only counts viewers.
        var isHeld: Bool
    }

    /// The newest timer of an operation.
    ///
    /// Every page visit resets it. Only one task sleeps for each operation; if it wakes too early, it sleeps again.
    private struct Alarm {
        var timer: Int
        var due: Duration
        var wakes: Duration
    }

    private let launcher: Launcher
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    private let core: Locked<Core>
    private let timers = FlowScope(executor: nil)
    private let observations = Locked<[FeedObservation]>([])

    init(
        catalog: Catalog, configuration: Board.Configuration, launcher: Launcher, isHeld: Bool,
        clock: any Clock<Duration>, logger: Logger
    ) {
        self.launcher = launcher
        self.clock = clock
        elapsed = clock.stopwatch()
        self.logger = logger
        let operations = catalog.watchedOperations
        core = Locked(
            Core(
                machine: WatchMachine(operations, rolloverAfter: configuration.rolloverAfter),
                watched: Set(operations.keys), isHeld: isHeld))
    }

    /// Replaces the catalog; watched operations in `changed` are restarted.
    func take(_ catalog: Catalog, changed: Set<String>, following feed: Feed) {
        let operations = catalog.watchedOperations
        perform { core in
            core.watched = Set(operations.keys)
            return core.machine.take(operations, changed: changed)
        }
        follow(feed)
    }

    /// Counts a viewer of a topic until the watch is released or deinitialized.
    ///
    /// Starts only operations in `visible`, or all if it is nil.
    func watch(_ topic: Topic, of visible: Set<String>? = nil) -> Watch {
        let ids = operations(of: topic).filter { visible?.contains($0) ?? true }
        perform { core in
            core.viewers[topic, default: 0] += 1
            return core.machine.watch(ids)
        }
        return Watch(topic: topic) { self.release(topic, ids) }
    }

    func viewers(of topic: Topic) -> Int { core.withLock { $0.viewers[topic] ?? 0 } }

    func isWatched(_ operation: String) -> Bool { core.withLock { $0.watched.contains(operation) } }

    func adopt(_ operation: String, run: String) {
        perform { $0.machine.adopt(operation, run: run) }
    }

    func ended(_ operation: String, run: String, _ phase: Phase) {
        perform { core in [core.machine.ended(operation, run: run, phase)].compactMap { $0 } }
    }

    /// Observes the feed to end runs that exceed the rollover limit.
    func follow(_ feed: Feed) {
        let observations = core.withLock { $0.watched }.map { id in
            feed.observe(.operation(id)) { [weak self, weak feed] head in
                guard let record = feed?.publication(at: head)?.run?.record else { return }
                self?.perform { core in
                    [core.machine.recorded(id, run: record.id, revision: record.revision)].compactMap { $0 }
                }
            }
        }
        self.observations.withLock { $0 = observations }
    }

    /// The operations that run only while watched and have viewers.
    var watched: [String] {
        core.withLock { core in core.machine.ids.filter { (core.machine[$0]?.viewers ?? 0) > 0 } }
    }

    var viewers: Int { core.withLock { $0.viewers.values.reduce(0, +) } }

    /// Starts the watched operations when this server takes over from another.
    func begin() {
        perform { core in
            guard core.isHeld else { return [] }
            core.isHeld = false
            return core.machine.begin()
        }
    }

    func stop() {
        core.withLock { $0.isStopped = true }
        timers.cancel()
    }

    private func release(_ topic: Topic, _ ids: [String]) {
        perform { core in
            let left = (core.viewers[topic] ?? 1) - 1
            core.viewers[topic] = left > 0 ? left : nil
            return core.machine.release(ids)
        }
    }

    private func operations(of topic: Topic) -> [String] {
        let watched = core.withLock { $0.watched }
        return switch topic {
        case .board: watched.sorted()
        case .operation(let id): watched.contains(id) ? [id] : []
        case .run(let run): launcher.runs[run].map { watched.contains($0.operation) ? [$0.operation] : [] } ?? []
        case .store, .output: []
        }
    }

    private func perform(_ event: (inout Core) -> [WatchMachine.Action]) {
        let actions = core.withLock { core in
            let actions = event(&core)
            return core.isStopped || core.isHeld ? [] : actions
        }
        for action in actions { perform(action) }
    }

    private func perform(_ action: WatchMachine.Action) {
        switch action {
        case .start(let id): start(id)
        case .cancel(let run, let cause):
            guard let live = launcher.runs[run] else { return perform { $0.machine.gone(run) } }
            live.cancel(cause)
        case .arm(let id, let timer, let time):
            let due = elapsed() + time
            let sleeps = core.withLock { core in
                let wakes = core.alarms[id]?.wakes
                core.alarms[id] = Alarm(timer: timer, due: due, wakes: min(wakes ?? due, due))
                return wakes.map { due < $0 } ?? true
            }
            if sleeps { timers.launch { try await self.sleep(for: id, until: due) } }
        }
    }

    /// Sleeps until an operation's newest timer is due, unless another task now wakes earlier.
    private func sleep(for id: String, until due: Duration) async throws {
        var wakes = due
        while true {
            try await clock.sleep(for: wakes - elapsed())
            let now = elapsed()
            let alarm: Alarm? = core.withLock { core in
                guard let alarm = core.alarms[id], alarm.wakes == wakes else { return nil }
                if alarm.due > now { core.alarms[id]?.wakes = alarm.due } else { core.alarms[id] = nil }
                return alarm
            }
            guard let alarm else { return }
            if alarm.due <= now {
                return perform { core in [core.machine.elapsed(id, timer: alarm.timer)].compactMap { $0 } }
            }
            wakes = alarm.due
        }
    }

    private func start(_ id: String) {
        let result: Result<String, BoardError>
        do throws(BoardError) {
            let opening = RunOpening(actor: "viewer", input: try launcher.defaults(of: id))
            let launched = try launcher.launch(
                id, opening, isWatched: true, onEnd: { [weak self] run, phase in self?.ended(id, run: run, phase) })
            result = .success(launched.id)
        } catch {
            logger.warning("An operation that runs while watched could not start.", metadata: ["operation": "\(id)"])
            result = .failure(error)
        }
        perform { core in
            switch result {
            case .success(let run): [core.machine.started(id, run: run)].compactMap { $0 }
            case .failure: [core.machine.couldNotStart(id)].compactMap { $0 }
            }
        }
    }
}

extension Catalog {
    fileprivate var watchedOperations: [String: Duration] {
        var operations: [String: Duration] = [:]
        for entry in entries {
            if case .whileWatched(let stopAfter) = entry.lifetime { operations[entry.id] = stopAfter }
        }
        return operations
    }
}

/// A viewer of a topic: while it is retained, operations that run only while watched continue.
package final class Watch: Sendable {
    let topic: Topic
    private let end: Locked<(@Sendable () -> Void)?>

    init(topic: Topic, end: @escaping @Sendable () -> Void) {
        self.topic = topic
        self.end = Locked(end)
    }

    /// Ends the watch.
    ///
    /// Repeated calls have no effect; `deinit` calls it too.
    package func release() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }

    deinit { release() }
}
