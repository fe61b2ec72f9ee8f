import CoreMetrics
import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates
import WeirTelemetry

/// Starts operations by their schedules, through the same entry point as all other starts.
///
/// The journal stores the progress of all schedules in one note. Each start uses the idempotency key of its operation
/// and undelayed time, so each time starts one run even if it is processed again after a restart or by another process
/// on the same journal.
final class Scheduler: Sendable {
    typealias Start = @Sendable (String, JSONValue, _ key: String) async throws(BoardError) -> StartReceipt

    private struct Core {
        var machine = ScheduleMachine()
        var wake = Deferred<Bool>()
        /// Whether this server starts runs, rather than only showing another server's schedules.
        var hasBegun = false
    }

    static let note = "schedules"
    /// The longest sleep in milliseconds, after which a change of the system time is noticed.
    private static let longestSleep: Int64 = 30_000
    /// The number of retries, one a second, while the values of choices are loading.
    private static let patience = 60

    /// Counts changes of the progress.
    let changes = MutableStateFlow(0)

    private let journal: any Journal
    private let metrics: any MetricsFactory
    private let lateness: CoreMetrics.Timer
    private let now: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let core = Locked(Core())
    private let writing = AsyncLock()
    private let scope = FlowScope(executor: nil)

    init(
        journal: any Journal, metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        now: @escaping @Sendable () -> Timestamp, clock: any Clock<Duration>, logger: Logger
    ) {
        self.journal = journal
        self.metrics = metrics
        lateness = CoreMetrics.Timer(.scheduleLateness, in: metrics)
        self.now = now
        self.clock = clock
        self.logger = logger
    }

    /// Loads the progress of the schedules from the journal while another server runs them.
    ///
    /// Throws `JournalError` if the note cannot be read.
    func follow(_ starts: [String: ScheduledStart]) async throws {
        guard !starts.isEmpty || core.withLock({ !$0.machine.isEmpty }) else { return }
        // Serialized with writes, so that an older note never replaces a newer state.
        try await writing.withLock {
            _ = take(starts, known: try await kept())
        }
    }

    /// The recorded progress of the schedules.
    ///
    /// Throws `JournalError` if the note cannot be read.
    func kept() async throws -> [String: ScheduleStanding] { standings(in: try await journal.note(Self.note)) }

    /// Replaces the schedules and their progress; has no effect once the scheduler has begun.
    ///
    /// Returns the current progress.
    private func take(
        _ starts: [String: ScheduledStart], known: [String: ScheduleStanding], begins: Bool = false
    ) -> [String: ScheduleStanding] {
        let moment = now()
        countFromZero(starts)
        return core.withLock { core in
            if !core.hasBegun {
                core.hasBegun = begins
                core.machine = ScheduleMachine()
                core.machine.take(starts, known: known, at: moment)
            }
            return core.machine.standings
        }
    }

    /// Starts running the schedules from their recorded progress, `known`.
    func begin(
        _ starts: [String: ScheduledStart], known: [String: ScheduleStanding], start: @escaping Start
    ) async {
        let standings = take(starts, known: known, begins: true)
        if standings != known { await keep() }
        scope.launch { [self] in
            while !Task.isCancelled {
                let wake = core.withLock { core in
                    core.wake = Deferred()
                    return core.wake
                }
                await look(start)
                await sleep(until: wake)
            }
        }
    }

    /// Records that all times before now are processed, before the schedules begin.
    func skipMissed() async throws {
        try await writing.withLock {
            var standings = try await kept()
            for operation in standings.keys { standings[operation]?.considered = now() }
            try await journal.setNote(Self.note, JSONValue(encoding: standings).text())
        }
    }

    func take(_ starts: [String: ScheduledStart]) async {
        let moment = now()
        countFromZero(starts)
        wake { $0.take(starts, at: moment) }
        if core.withLock({ $0.hasBegun }) { await keep() }
    }

    /// Makes the counters, because the rate of a counter that begins at 1 does not show its first event.
    private func countFromZero(_ starts: [String: ScheduledStart]) {
        for operation in starts.keys {
            _ = Counter(.scheduleMissed, [("operation", operation)], in: metrics)
            _ = Counter(.scheduleRefused, [("operation", operation)], in: metrics)
        }
    }

    func stop() { scope.cancel() }

    var standings: [String: ScheduleStanding] { core.withLock { $0.machine.standings } }

    func schedule(of operation: String) -> (start: ScheduledStart, standing: ScheduleStanding)? {
        core.withLock { core in
            guard let start = core.machine.start(of: operation), let standing = core.machine.standing(of: operation)
            else { return nil }
            return (start, standing)
        }
    }

    /// Pauses an operation's schedule, or resumes it if `actor` is nil; has no effect if it is already in that state.
    ///
    /// Throws the journal's error without changing anything.
    func pause(_ operation: String, by actor: String?, reason: String? = nil) async throws {
        try await writing.withLock {
            let moment = now()
            var changed = core.withLock { $0.machine }
            guard let pause = changed.standing(of: operation).map(\.pause), (pause == nil) == (actor != nil) else {
                return
            }
            let wanted = actor.map { ScheduleStanding.Pause(by: $0, at: moment, reason: reason) }
            changed.pause(operation, wanted, at: moment)
            try await journal.setNote(Self.note, JSONValue(encoding: changed.standings).text())
            wake { $0.pause(operation, wanted, at: moment) }
        }
    }

    private func look(_ start: @escaping Start) async {
        let moment = now()
        let due = core.withLock { $0.machine.look(at: moment) }
        guard !due.isEmpty else { return }
        await withTaskGroup { group in
            for due in due { group.addTask { await self.perform(due, start) } }
        }
        await keep()
    }

    private func perform(_ due: ScheduleMachine.Due, _ start: @escaping Start, attempt: Int = 0) async {
        guard let scheduled = core.withLock({ $0.machine.start(of: due.operation) }) else { return }
        let label = [("operation", due.operation)]
        if let missed = due.missed, attempt == 0 {
            Counter(.scheduleMissed, label, in: metrics).increment(by: missed.count)
            logger.warning(
                "Scheduled starts were missed: their time had passed when the server could look.",
                metadata: ["operation": "\(due.operation)", "count": "\(missed.count)", "newest": "\(missed.newest)"])
        }
        for time in due.times {
            let (run, refusal): (String?, String?)
            do throws(BoardError) {
                let key = ScheduledStart.key(of: due.operation, at: time)
                (run, refusal) = (try await start(due.operation, scheduled.input(at: time), key).run, nil)
                let planned = time.after(scheduled.schedule.delay(of: time, for: due.operation))
                lateness.record(milliseconds: max(now() - planned, 0))
            } catch {
                // Not settled, so the next process retries it.
                if error.code == .shuttingDown || Task.isCancelled { return }
                // The values of choices are still loading. Other schedules do not wait, and idempotency keys identify
                // the times that have already started.
                if error.code == .unavailable, !error.fields.isEmpty, attempt < Self.patience {
                    scope.launch { [self] in
                        try await clock.sleep(for: .seconds(1))
                        await perform(due, start, attempt: attempt + 1)
                        await keep()
                    }
                    return
                }
                let words = [error.description] + error.fields.map { "\($0.field): \($0.detail)" }
                (run, refusal) = (nil, words.joined(separator: " "))
                Counter(.scheduleRefused, label, in: metrics).increment()
                logger.warning(
                    "A scheduled start was refused.",
                    metadata: [
                        "operation": "\(due.operation)", "time": "\(time)",
                        "cause": "\(Quoted(words.joined(separator: " ")))",
                    ])
            }
            let firing = ScheduleStanding.Firing(time: time, at: now(), run: run, refusal: refusal)
            core.withLock { $0.machine.note(firing, of: due.operation) }
        }
        core.withLock { $0.machine.settle(due) }
    }

    private func sleep(until wake: Deferred<Bool>) async {
        let (isEmpty, next) = core.withLock { ($0.machine.isEmpty, $0.machine.next) }
        guard !isEmpty else {
            _ = await wake.value()
            return
        }
        let rest = next.map { min(max(1, $0 - now()), Self.longestSleep) } ?? Self.longestSleep
        _ = await wake.value(within: .milliseconds(rest), clock: clock)
    }

    private func wake(_ change: (inout ScheduleMachine) -> Void) {
        core.withLock { core in
            change(&core.machine)
            return core.wake
        }.resolve(true)
    }

    // MARK: Recorded progress

    private func keep() async {
        changes.update { $0 &+ 1 }
        do {
            try await writing.withLock {
                let standings = core.withLock { $0.machine.standings }
                try await journal.setNote(Self.note, JSONValue(encoding: standings).text())
            }
        } catch is CancellationError {
            return
        } catch {
            logger.error(
                "What the schedules have come to could not be recorded; it is tried again after the next start.",
                metadata: ["cause": "\(Quoted(error))"])
        }
    }

    private func standings(in text: String?) -> [String: ScheduleStanding] {
        guard let text else { return [:] }
        do {
            return try JSONValue(parsing: text).decode([String: ScheduleStanding].self)
        } catch {
            logger.error(
                "What the schedules had come to cannot be read, so they begin anew: nothing is made up for, no pause is kept.",
                metadata: ["cause": "\(Quoted(error))"])
            return [:]
        }
    }
}
