import Foundation
import Logging
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStandard
import WeirStates
@testable import WeirFiles

/// A job that ends as its input says, at once or when its gate opens.
struct Job: SimpleOperation {
    struct Input: OperationInput {
        static var fields: [InputField] {
            [InputField("fails", "Fails", .text()), InputField("waits", "Waits", .text())]
        }
        let fails: String?
        let waits: String?
    }

    /// What holds the runs that wait.
    final class Gates: Sendable {
        let waiting = Locked<[CheckedContinuation<Void, Never>]>([])
    }

    let gates = Gates()

    func run(_ input: Input, report: RunReporter) async throws -> NoResult {
        if input.waits != nil {
            await withCheckedContinuation { continuation in gates.waiting.withLock { $0.append(continuation) } }
        }
        if let words = input.fails { throw OperationFailure(words) }
        return NoResult()
    }
}

/// A board with a job, and a notifier of it.
final class Fixture: Sendable {
    static let secrets = ["key": "a very secret key", "path": "T0000/B0000/abcdefgh"]

    let board: Board
    let store: DeliveryStore
    let notifier: Notifier
    /// Makes another one of the same board, as the server would when it is back.
    let makeNotifier: @Sendable () -> Notifier
    let clock: VirtualClock
    private let job: Job
    private let work: Task<Void, Never>

    /// - Parameters:
    ///   - rules: Who is told.
    ///   - journal: What was recorded before.
    ///   - store: What was to be sent before.
    ///   - clock: The time of the board and of the notifier.
    ///   - reentry: What a second start of the job does.
    ///   - configuration: The measures of the board.
    ///   - isRunning: Whether the notifier works, or the server is killed before it does.
    ///   - address: The server's URL; nil until it listens.
    ///   - add: Adds other operations.
    ///   - own: The rules that operations have themselves.
    /// - Throws: What the board and the store throw.
    init(
        _ rules: [NotificationRule], journal: any Journal = MemoryJournal(epoch: "testepoch0001"),
        store: DeliveryStore? = nil, clock: VirtualClock = VirtualClock(), reentry: ReentryPolicy = .concurrent,
        configuration: Board.Configuration = .init(), isRunning: Bool = true,
        address: @escaping @Sendable () -> String? = { "https://weir.example/" },
        adding add: (inout Catalog) -> Void = { _ in }, own: [String: [NotificationRule]] = [:]
    ) async throws {
        var catalog = Catalog()
        let job = Job()
        self.clock = clock
        self.job = job
        catalog.add(job, id: "job", title: "A job", summary: "Does something.", reentry: reentry)
        add(&catalog)
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let opened: Board = try await Board.open(
            catalog: catalog, journal: journal, configuration: configuration, now: { Self.time(clock) }, logger: quiet)
        board = opened
        let kept = try store ?? DeliveryStore(path: nil)
        self.store = kept
        var plan = HookPlan()
        plan.standard = rules
        plan.notifications = own
        let sender = NotificationSender(
            environment: OperationEnvironment(),
            commandEnvironment: .init(
                folder: URL(filePath: "/"), environment: ["PATH": "/usr/bin:/bin"], helper: try? CommandHelper())
        ) { Self.secrets[$0] }
        let makeNotifier: @Sendable () -> Notifier = { [plan, quiet] in
            Notifier(
                board: opened, store: kept, plan: plan, sender: sender, secrets: { Self.secrets[$0] },
                address: address, clock: clock,
                now: { Self.time(clock) },
                makeID: { UUID().uuidString }, logger: quiet)
        }
        self.makeNotifier = makeNotifier
        let notifier = makeNotifier()
        self.notifier = notifier
        if isRunning, try await kept.position(in: opened.epoch) == nil {
            try await kept.advance(to: opened.feed.head(of: .board), in: opened.epoch, adding: [])
        }
        work = Task { if isRunning { await notifier.run() } }
    }

    private static func time(_ clock: VirtualClock) -> Timestamp {
        Timestamp(milliseconds: clock.now.offset.components.seconds * 1_000)
    }

    /// Starts the job, which works until its gate opens.
    func begin(failing words: String? = nil) async throws -> String {
        let before = job.gates.waiting.withLock { $0.count }
        var input: JSONValue = ["waits": "yes"]
        if let words { input = ["waits": "yes", "fails": .string(words)] }
        let run = try await board.start("job", input: input, actor: "Ana").run
        try await until { job.gates.waiting.withLock { $0.count } != before }
        // It may wait at its gate before it is recorded that it works.
        try await until { try await board.run(run).state.phase == .active }
        return run
    }

    /// Lets all jobs end that wait; returns when the run has.
    func open(_ run: String) async {
        let gates = job.gates.waiting.withLock { gates in
            defer { gates = [] }
            return gates
        }
        for gate in gates { gate.resume() }
        await board.outcome(of: run)
    }

    /// Runs the job a few times, which then usually takes ten seconds.
    func learn() async throws {
        for _ in 0..<6 {
            let run = try await begin()
            clock.advance(by: .seconds(10))
            await open(run)
        }
    }

    /// Runs the job.
    @discardableResult
    func run(failing words: String? = nil) async throws -> String {
        let run = try await board.start(
            "job", input: words.map { ["fails": .string($0)] } ?? [:], actor: "Ana"
        ).run
        await board.outcome(of: run)
        return run
    }

    /// Lets time pass until a message stands as it should.
    ///
    /// The clock stands still until a task besides the daily one sleeps, so it does not run ahead of an attempt.
    func delivery(_ condition: (DeliveryRecord) -> Bool) async throws -> DeliveryRecord {
        var found: DeliveryRecord?
        try await until {
            found = try await store.deliveries(of: "job", limit: 100).first(where: condition)
            return found != nil
        } otherwise: {
            if clock.sleepers.value >= 2 { clock.advance(by: .seconds(5)) }
        }
        guard let found else { throw CancellationError() }
        return found
    }

    /// Ends the notifier, as a signal does.
    func stop() async {
        work.cancel()
        await work.value
    }
}

extension NotificationRule {
    static func webhook(
        _ url: String, _ events: Set<NotificationEvent> = [.failed], format: NotificationFormat = .generic,
        signedWith: String? = nil
    ) throws -> NotificationRule {
        NotificationRule(
            name: "1", events: events,
            channel: .webhook(
                Webhook(
                    url: try PathTemplate(url), body: format,
                    headers: [Header(name: "X-Team", value: try PathTemplate("{{secrets.key}}"))],
                    signingSecret: signedWith)))
    }
}
