package import Logging
package import WeirBoards
import WeirFlows
package import WeirJournals
import WeirStates

/// Tells people and programs how runs ended, and which take longer than usual.
///
/// It reads the journal from where it stopped, makes a message of each end that a rule asks for, and sends each until it
/// arrives or has been tried often enough. Intent and place in the journal are kept in one transaction, and an attempt is
/// counted before it is made: a server that is killed at any moment loses no message, and sends one again only if it was
/// killed between the receiver's answer and keeping it. Each message has an id, sent as `X-Weir-Delivery`, that is the same
/// in every attempt.
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
    private let ends = WakeSignal()
    let queue = WakeSignal()
    let begun = WakeSignal()
    let turns = Locked(DeliveryTurns())
    /// Whether it tells, and up to where that is written down for other servers.
    let telling = Locked<(isTelling: Bool, written: SequenceNumber)>((false, .zero))

    /// The time in milliseconds from which an attempt counts as slow.
    static let slow: Int64 = 5_000
    /// How long to wait after a failure of the store or the journal.
    static let patience = Duration.seconds(5)

    /// Makes one; nothing is sent before ``run()``.
    ///
    /// - Parameters:
    ///   - board: Whose runs.
    ///   - store: What is to be sent.
    ///   - plan: Who is told what.
    ///   - sender: How.
    ///   - secrets: The kept secrets.
    ///   - address: The address of the server, with a slash at its end; nil while it has none.
    ///   - clock: Measures waits.
    ///   - now: The time of day.
    ///   - makeID: Makes ids of tests.
    ///   - logger: Where it says what does not work.
    package init(
        board: Board, store: DeliveryStore, plan: HookPlan, sender: NotificationSender,
        secrets: @escaping @Sendable (String) -> String?, address: @escaping @Sendable () -> String?,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp,
        makeID: @escaping @Sendable () -> String, logger: Logger
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
        self.logger = logger
    }

    /// Puts other triggers and rules in place of those in force.
    package func replace(_ plan: HookPlan) {
        self.plan.withLock { $0 = plan }
        begun.send()
    }

    /// Tells of ends, and of slow runs, until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.follow() }
            group.addTask { await self.watch() }
            group.addTask { await self.send() }
            group.addTask { await self.tidy() }
        }
    }

    // MARK: Ends of runs

    private func follow() async {
        let observation = board.feed.observe(.board) { [ends] _ in ends.send() }
        let role = board.currentRole.subscribe(.lossless) { [ends] _ in ends.send() }
        defer {
            observation.cancel()
            role.cancel()
        }
        // Once for what happened before.
        ends.send()
        var signals = ends.sent.makeAsyncIterator()
        while await signals.next() != nil {
            do {
                while try await readOn() {}
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("Ends of runs could not be read.", metadata: ["cause": "\(Quoted(error))"])
                guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
                ends.send()
            }
        }
    }

    /// Makes messages of the next changes; false when there are no more.
    private func readOn() async throws -> Bool {
        // The server that records tells; another one, once it takes its place.
        guard board.isRecording else {
            telling.withLock { $0.isTelling = false }
            return false
        }
        try await takeOver()
        guard let position = try await store.position(in: board.epoch) else {
            // Nobody is told of what happened before there was anybody to tell.
            try await store.advance(to: board.feed.head(of: .board), in: board.epoch, adding: [])
            return true
        }
        let slice = try await board.changes(of: .board, after: position, limit: 256)
        if let lost = slice.lost {
            logger.warning("Ends of runs were removed before anybody was told.", metadata: ["to": "\(lost.upperBound)"])
        }
        var deliveries: [DeliveryRecord] = []
        for change in slice.changes where change.state.phase.isEnded && change.origin == nil {
            guard case .run(let id) = change.stream else { continue }
            deliveries += try await messages(of: id, at: change)
        }
        if slice.changes.contains(where: { $0.revision == 0 }) { begun.send() }
        guard slice.to > position else { return false }
        try await store.advance(to: slice.to, in: board.epoch, adding: deliveries)
        try await write(slice.to, hasTold: !deliveries.isEmpty)
        if !deliveries.isEmpty { queue.send() }
        return slice.more
    }

    private func messages(of id: String, at change: Change) async throws -> [DeliveryRecord] {
        let rules = plan.withLock { $0 }.rules(of: change.subject)
        guard !rules.isEmpty else { return [] }
        guard let run = try await record(of: id) else { return [] }
        let events = try await events(of: run)
        return rules.compactMap { rule in
            guard let event = events.first(where: rule.events.contains) else { return nil }
            var facts = facts(of: run)
            facts.event = event
            // The same for the same end, whenever it is read.
            facts.delivery = "\(id)-\(rule.name)"
            return DeliveryRecord(facts: facts, rule: rule, nextAt: now().milliseconds)
        }
    }

    /// The run; nil for one that retention has removed.
    private func record(of id: String) async throws -> RunRecord? {
        do {
            return try await board.run(id)
        } catch {
            guard error.code == .removedRun || error.code == .unknownRun else { throw error }
            return nil
        }
    }

    /// What an end is, the most telling first.
    private func events(of run: RunRecord) async throws -> [NotificationEvent] {
        switch run.state.phase {
        case .failed: return [.failed]
        case .cancelled: return [.cancelled]
        case .interrupted: return [.interrupted]
        case .succeeded:
            let before = try await board.runs(
                RunQuery(operation: run.operation, before: run.openedSequence, limit: 1)
            ).runs.first
            let isBetter = before.map { [.failed, .interrupted].contains($0.state.phase) } ?? false
            return isBetter ? [.recovered, .succeeded] : [.succeeded]
        case .idle, .active: return []
        }
    }

    func facts(of run: RunRecord) -> NotificationFacts {
        NotificationFacts(
            delivery: "", event: nil, operation: run.operation,
            title: board.catalog[run.operation]?.title ?? run.operation, run: run.id,
            url: address().map { "\($0)runs/\(run.id)" } ?? "", phase: run.state.phase, state: run.state.caseName,
            message: run.state.sentence, actor: run.opening.actor, input: run.opening.input,
            startedAt: run.startedAt.milliseconds,
            endedAt: (run.endedAt ?? run.changedAt).milliseconds)
    }

    private func tidy() async {
        while true {
            // Old messages that stay a day longer harm nobody.
            try? await store.tidy(now: now().milliseconds)
            guard (try? await clock.sleep(for: .seconds(86_400))) != nil else { return }
        }
    }

    /// Adds tests, which are sent at once.
    func begin(_ deliveries: [DeliveryRecord]) async throws {
        try await store.add(deliveries)
        queue.send()
    }
}

/// Wakes one task: signals that are sent while nobody waits count as one.
final class WakeSignal: Sendable {
    let sent: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (sent, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func send() { continuation.yield() }
}
