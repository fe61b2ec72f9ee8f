package import CoreMetrics
package import Logging
package import WeirBoards
import WeirFlows
package import WeirJournals
import WeirStates
import WeirTelemetry

/// Notifies people and programs about ends of runs, about runs that take longer than usual, and about scheduled starts that
/// did not happen.
///
/// It reads the journal from its last position, creates a message for each end that matches a rule, and sends it until it is
/// delivered or its attempts are exhausted. Messages and position are stored in one transaction, and an attempt is counted
/// before it is made. So a crash never loses a message, and repeats one only if it occurs between the receiver's response and
/// its storage. All attempts of a message have the same id, which is sent as `X-Weir-Delivery`.
package final class Notifier: Sendable {
    let board: Board
    let store: DeliveryStore
    let plan: Locked<HookPlan>
    let sender: NotificationSender
    let secrets: @Sendable (String) -> String?
    let address: @Sendable () -> String?
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let makeID: @Sendable () -> String
    let logger: Logger
    let outcomes: DeliveryCounters
    let ends = WakeSignal()
    /// The runs whose messages were added, or that were deleted, since the last check; nil before the first, for all runs.
    let unchecked = Locked<Set<String>?>(nil)
    let queue = WakeSignal()
    let begun = WakeSignal()
    let turns = Locked(DeliveryTurns())
    let standing = Locked<[ServerCondition]>([])
    /// Whether this server notifies, and the position stored for other servers.
    let telling = Locked<(isTelling: Bool, written: SequenceNumber)>((false, .zero))

    /// The time in milliseconds from which an attempt is slow.
    static let slow: Int64 = 5_000
    static let patience = Duration.seconds(5)

    /// Creates a notifier, which sends nothing before ``run()``.
    ///
    /// `address` returns the server's URL with a trailing slash, or nil until it listens. `makeID` creates ids of test
    /// messages.
    package init(
        board: Board, store: DeliveryStore, plan: HookPlan, sender: NotificationSender,
        secrets: @escaping @Sendable (String) -> String?, address: @escaping @Sendable () -> String?,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp,
        makeID: @escaping @Sendable () -> String, metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        logger: Logger
    ) {
        self.board = board
        self.store = store
        self.plan = Locked(plan)
        self.sender = sender
        self.secrets = secrets
        self.address = address
        self.clock = clock
        self.now = now
        self.makeID = makeID
        outcomes = DeliveryCounters(metrics)
        self.logger = logger
    }

    /// The number of messages that are not delivered yet, or nil if it cannot be read.
    package func waiting() async -> Int? { try? await store.waitingCount() }

    /// Replaces the triggers and rules in force.
    package func replace(_ plan: HookPlan) {
        self.plan.withLock { $0 = plan }
        begun.send()
        ends.send()
    }

    package func run() async {
        board.deleted.add { [weak self] runs in
            self?.unchecked.withLock { $0?.formUnion(runs) }
            self?.ends.send()
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.follow() }
            group.addTask { await self.watch() }
            group.addTask { await self.send() }
            group.addTask { await self.tidy() }
        }
    }

    /// Waits until every recorded end has become a message, and each of them has been tried, at most for a time.
    package func settle(within limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { try? await self.clock.sleep(for: limit) }
            group.addTask {
                while self.board.isRecording, self.board.currentRole.value != .replaced, await self.isBusy() {
                    guard (try? await self.clock.sleep(for: .milliseconds(20))) != nil else { return }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func isBusy() async -> Bool {
        guard let position = try? await store.position(in: board.epoch), position >= board.feed.head(of: .board),
            let heads = try? await store.heads(except: [])
        else { return true }
        let now = now().milliseconds
        return heads.contains { $0.nextAt <= now } || !turns.withLock { $0.inFlight.isEmpty }
    }

    // MARK: Ends of runs

    private func follow() async {
        let observation = board.feed.observe(.board) { [ends] _ in ends.send() }
        let role = board.currentRole.subscribe(.lossless) { [ends] _ in ends.send() }
        let schedules = board.scheduleChanges.subscribe(.lossless) { [ends] _ in ends.send() }
        defer {
            schedules.cancel()
            observation.cancel()
            role.cancel()
        }
        ends.send()
        var signals = ends.sent.makeAsyncIterator()
        var alarm: Task<Void, Never>?
        var failure: String?
        defer { alarm?.cancel() }
        while await signals.next() != nil {
            alarm?.cancel()
            // Read first, so that what becomes due or reachable during the work is found by the next look.
            let (moment, isListening) = (now(), address() != nil)
            do {
                try await forgetDeleted()
                while try await readOn() {}
                if failure != nil { logger.notice("Ends of runs are read again.") }
                failure = nil
                alarm = untilNextSummary(after: moment, isListening: isListening).map { wait in
                    Task { [clock, ends] in
                        guard (try? await clock.sleep(for: wait)) != nil else { return }
                        ends.send()
                    }
                }
            } catch {
                guard !Task.isCancelled else { return }
                let cause = "\(Quoted(error))"
                if cause != failure {
                    logger.error(
                        "Ends of runs cannot be read, and no messages about them are sent.",
                        metadata: ["cause": .string(cause)])
                }
                failure = cause
                guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
                ends.send()
            }
        }
    }

    /// Creates messages for the next changes and for scheduled starts that did not happen; returns false at the end of the
    /// journal.
    private func readOn() async throws -> Bool {
        // Only the recording server notifies; another one continues when it takes over.
        guard board.isRecording else {
            telling.withLock { $0.isTelling = false }
            return false
        }
        try await takeOver()
        guard let position = try await store.position(in: board.epoch) else {
            // What happened before the first start causes no notifications.
            var state = NotificationState()
            _ = state.take(board.scheduleStandings)
            state.count(for: plan.withLock { $0 }.periodic, since: now())
            try await store.advance(to: board.feed.head(of: .board), in: board.epoch, adding: [], state: state)
            return true
        }
        let known = try await store.state()
        var state = known
        let slice = try await board.changes(of: .board, after: position, limit: 256)
        if let lost = slice.lost, plan.withLock({ $0.hasRules }) {
            logger.warning(
                "Ends of runs were removed before their notifications were sent.",
                metadata: ["to": "\(lost.upperBound)"])
        }
        var deliveries: [DeliveryRecord] = []
        for change in slice.changes where change.state.phase.isEnded && change.origin == nil {
            guard case .run(let id) = change.stream else { continue }
            deliveries += try await messages(of: id, at: change, &state)
        }
        deliveries += state.take(board.scheduleStandings).flatMap(messages(of:))
        if !slice.more { deliveries += try await summaries(&state) }
        if slice.changes.contains(where: { $0.revision == 0 }) { begun.send() }
        guard slice.to > position || state != known else { return false }
        try await store.advance(to: slice.to, in: board.epoch, adding: deliveries, state: state)
        if !deliveries.isEmpty {
            check(deliveries)
            queue.send()
            try await forgetDeleted()
        }
        try await write(
            ToldPosition(sequence: slice.to, state: state),
            hasTold: !deliveries.isEmpty || state.unrepeated != known.unrepeated)
        return slice.more
    }

    private func messages(
        of id: String, at change: Change, _ state: inout NotificationState
    ) async throws -> [DeliveryRecord] {
        let plan = plan.withLock { $0 }
        guard !plan.rules(of: change.subject).isEmpty || plan.summarizes(change.subject, isStep: false),
            let run = try await record(of: id)
        else { return [] }
        let matches = state.take(
            change.state.phase, of: change.subject, run: id, isStep: try await isStep(run), by: plan)
        guard !matches.isEmpty else { return [] }
        let common = try await explainedFacts(of: run)
        return matches.map { match in
            var facts = common
            facts.event = match.event
            // Deterministic, so that reading an end again creates no second message.
            facts.delivery = "\(id)-\(match.rule.name)"
            var delivery = DeliveryRecord(facts: facts, rule: match.rule, nextAt: now().milliseconds)
            delivery.sequence = change.sequence
            return delivery
        }
    }

    private func messages(of start: MissedStart) -> [DeliveryRecord] {
        notifications(of: start.operation).filter { $0.events.contains(.missed) }.map { rule in
            let facts = start.facts(
                by: rule, title: title(of: start.operation),
                url: address().map { "\($0)operations/\(start.operation)" } ?? "")
            return DeliveryRecord(facts: facts, rule: rule, nextAt: now().milliseconds)
        }
    }

    /// The run, or nil if retention has removed it.
    func record(of id: String) async throws -> RunRecord? {
        do {
            return try await board.run(id)
        } catch {
            guard [.removedRun, .deletedRun, .unknownRun].contains(error.code) else { throw error }
            return nil
        }
    }

    private func tidy() async {
        while true {
            // On failure, expired messages stay for another day.
            try? await store.tidy(now: now().milliseconds)
            guard (try? await clock.sleep(for: .seconds(86_400))) != nil else { return }
        }
    }

    /// Gives up all messages that wait.
    package func discardWaiting() async throws {
        try await store.discardWaiting("It was discarded when a quiet start ended.")
    }

    func begin(_ deliveries: [DeliveryRecord]) async throws {
        try await store.add(deliveries)
        check(deliveries)
        queue.send()
        ends.send()
    }
}

/// Counts what became of attempts to send messages.
final class DeliveryCounters: Sendable {
    private let delivered: Counter
    private let failed: Counter
    private let retried: Counter

    init(_ metrics: any MetricsFactory) {
        let counter = { Counter(.deliveries, [("outcome", $0)], in: metrics) }
        (delivered, failed, retried) = (counter("delivered"), counter("failed"), counter("retried"))
    }

    func count(_ status: DeliveryRecord.Status) {
        switch status {
        case .delivered: delivered.increment()
        case .failed: failed.increment()
        case .waiting: retried.increment()
        }
    }
}

/// Wakes one task, coalescing signals without a waiting task.
final class WakeSignal: Sendable {
    let sent: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (sent, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func send() { continuation.yield() }
}

/// The handover of notifications between servers.
extension Notifier {
    /// The number of changes without notifications after which the position is stored for other servers.
    private static let writtenEvery = 1_000

    /// Continues at the position of the server that notified before.
    func takeOver() async throws {
        guard !telling.withLock({ $0.isTelling }) else { return }
        let written = try await board.toldThrough()
        // At the same sequence, the other server can have sent a digest.
        if let written, written.sequence >= (try await store.position(in: board.epoch) ?? .zero) {
            try await store.advance(to: written.sequence, in: board.epoch, adding: [], state: written.state)
        }
        telling.withLock { $0 = (true, written?.sequence ?? .zero) }
    }

    /// Stores the position for other servers.
    ///
    /// Must follow the storage of messages: a server that takes over after a crash in between creates the same messages with
    /// the same ids.
    func write(_ position: ToldPosition, hasTold: Bool) async throws {
        let written = telling.withLock { $0.written }
        guard hasTold || position.sequence > written.advanced(by: Self.writtenEvery) else { return }
        try await board.setToldThrough(position)
        telling.withLock { $0.written = position.sequence }
    }
}
