import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Starts operations by their schedules, through the same door as everybody else.
///
/// What the schedules have come to stands in the journal, in one note. A start is made under the key of its operation and
/// its time without the delay: however often a time is looked at, after a restart or by another process on the same
/// journal, it starts one run.
final class Scheduler: Sendable {
    /// Starts an operation with an input, under a key.
    typealias Start = @Sendable (String, JSONValue, _ key: String) async throws(BoardError) -> StartReceipt

    private struct Core {
        var machine = ScheduleMachine()
        var wake = Deferred<Bool>()
        /// Whether it starts anything.
        var hasBegun = false
    }

    /// The name of the note in the journal.
    static let note = "schedules"
    /// The longest sleep: a clock on the wall that was set forward is noticed after this time.
    private static let longestSleep: Int64 = 30_000
    /// For how many seconds a start is tried again while the values of choices are being read.
    private static let patience = 60

    private let journal: any Journal
    private let now: @Sendable () -> Timestamp
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let core = Locked(Core())
    private let writing = AsyncLock()
    private let scope = FlowScope(executor: nil)

    init(
        journal: any Journal, now: @escaping @Sendable () -> Timestamp, clock: any Clock<Duration>, logger: Logger
    ) {
        self.journal = journal
        self.now = now
        self.clock = clock
        self.logger = logger
    }

    /// Shows how far the schedules have come that another server keeps.
    ///
    /// Throws `JournalError` when what is kept cannot be read.
    func follow(_ starts: [String: ScheduledStart]) async throws {
        guard !starts.isEmpty || core.withLock({ !$0.machine.isEmpty }) else { return }
        // One at a time with what is written: what was read must not take the place of something newer.
        try await writing.withLock {
            _ = take(starts, known: try await kept())
        }
    }

    /// How far the schedules have come, as the journal has it.
    ///
    /// Throws `JournalError` when that cannot be read.
    func kept() async throws -> [String: ScheduleStanding] { standings(in: try await journal.note(Self.note)) }

    /// Takes schedules, and how far they have come, in place of all that was known; without effect on one that has begun.
    ///
    /// Returns how far they have come now.
    private func take(
        _ starts: [String: ScheduledStart], known: [String: ScheduleStanding], begins: Bool = false
    ) -> [String: ScheduleStanding] {
        let moment = now()
        return core.withLock { core in
            if !core.hasBegun {
                core.hasBegun = begins
                core.machine = ScheduleMachine()
                core.machine.take(starts, known: known, at: moment)
            }
            return core.machine.standings
        }
    }

    /// Begins with the schedules that there are, where the last process stopped; `known` is what was kept.
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

    /// Takes other schedules while it goes on.
    func take(_ starts: [String: ScheduledStart]) async {
        let moment = now()
        wake { $0.take(starts, at: moment) }
        if core.withLock({ $0.hasBegun }) { await keep() }
    }

    /// Starts nothing more.
    func stop() { scope.cancel() }

    /// An operation's schedule and how far it has come.
    func schedule(of operation: String) -> (start: ScheduledStart, standing: ScheduleStanding)? {
        core.withLock { core in
            guard let start = core.machine.start(of: operation), let standing = core.machine.standing(of: operation)
            else { return nil }
            return (start, standing)
        }
    }

    /// Pauses an operation's schedule, or lets it go on; without effect if that is so already.
    ///
    /// Throws what the journal throws; then nothing has changed.
    func pause(_ operation: String, by actor: String?) async throws {
        try await writing.withLock {
            let moment = now()
            var changed = core.withLock { $0.machine }
            guard let pause = changed.standing(of: operation).map(\.pause), (pause == nil) == (actor != nil) else {
                return
            }
            let wanted = actor.map { ScheduleStanding.Pause(by: $0, at: moment) }
            changed.pause(operation, wanted, at: moment)
            try await journal.setNote(Self.note, JSONValue(encoding: changed.standings).text())
            wake { $0.pause(operation, wanted, at: moment) }
        }
    }

    /// Does all that is due, for several operations at a time.
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
        guard let input = core.withLock({ $0.machine.start(of: due.operation)?.input }) else { return }
        if let missed = due.missed, attempt == 0 {
            logger.warning(
                "Scheduled starts were missed: their time had passed when the server could look.",
                metadata: ["operation": "\(due.operation)", "count": "\(missed.count)", "newest": "\(missed.newest)"])
        }
        for time in due.times {
            let (run, refusal): (String?, String?)
            do throws(BoardError) {
                let key = ScheduledStart.key(of: due.operation, at: time)
                (run, refusal) = (try await start(due.operation, input, key).run, nil)
            } catch {
                // Not settled: the next process takes it up.
                if error.code == .shuttingDown || Task.isCancelled { return }
                // Values of choices are being read. Other schedules do not wait, and times that were started are known by
                // their keys.
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

    // MARK: The note

    private func keep() async {
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
