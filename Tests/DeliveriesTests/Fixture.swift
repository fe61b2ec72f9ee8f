import Boards
import Commands
import Flows
import Foundation
import Journals
import Logging
import Operations
import StandardOperations
import States
import TestClocks
import Webhooks

@testable import Deliveries

/// A job that ends as its input says.
struct Job: SimpleOperation {
    struct Input: OperationInput {
        static var fields: [InputField] { [InputField("fails", "Fails", .text())] }
        let fails: String?
    }

    func run(_ input: Input, report: RunReporter) async throws -> NoResult {
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
    let clock = VirtualClock()
    private let work: Task<Void, Never>

    /// - Parameters:
    ///   - rules: Who is told.
    ///   - journal: What was recorded before.
    ///   - store: What was to be sent before.
    ///   - isRunning: Whether the notifier works, or the server is killed before it does.
    /// - Throws: What the board and the store throw.
    init(
        _ rules: [NotificationRule], journal: any Journal = MemoryJournal(epoch: "testepoch0001"),
        store: DeliveryStore? = nil, isRunning: Bool = true
    ) async throws {
        var catalog = Catalog()
        catalog.add(Job(), id: "job", title: "A job", summary: "Does something.")
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let opened: Board = try await Board.open(catalog: catalog, journal: journal, logger: quiet)
        board = opened
        let kept = try store ?? DeliveryStore(path: nil)
        self.store = kept
        var plan = HookPlan()
        plan.standard = rules
        let sender = NotificationSender(
            environment: OperationEnvironment(),
            commandContext: .init(helper: try? CommandHelper(), folder: "/", variables: ["PATH": "/usr/bin:/bin"])
        ) { Self.secrets[$0] }
        let notifier = Notifier(
            board: opened, store: kept, plan: plan, sender: sender, secrets: { Self.secrets[$0] },
            address: { "https://weir.example/" }, clock: clock,
            now: { [clock] in Timestamp(milliseconds: clock.now.offset.components.seconds * 1_000) },
            makeID: { UUID().uuidString }, logger: quiet)
        self.notifier = notifier
        if isRunning, try await kept.position(in: opened.epoch) == nil {
            try await kept.advance(to: opened.feed.head(of: .board), in: opened.epoch, adding: [])
        }
        work = Task { if isRunning { await notifier.run() } }
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
    func delivery(_ condition: (DeliveryRecord) -> Bool) async throws -> DeliveryRecord {
        while true {
            try Task.checkCancellation()
            if let found = try await store.deliveries(of: "job", limit: 100).first(where: condition) { return found }
            clock.advance(by: .seconds(5))
            await Task.yield()
        }
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
