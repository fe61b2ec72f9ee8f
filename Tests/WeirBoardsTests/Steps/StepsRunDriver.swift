import TestSupport
import Testing
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Runs a random plan on a board, and ends its steps in random order.
struct StepsRunDriver {
    private(set) var steps: RandomSteps
    private let stage: StepsStage
    private var random: SeededGenerator
    private let clock = VirtualClock()
    private var fixture: BoardFixture
    private let run: String
    private var cancellations = 0
    private let chances: Chances

    /// Of a hundred moments, those at which something happens.
    struct Chances {
        var cancellation = 0
    }

    init(_ steps: RandomSteps, seed: UInt64, _ chances: Chances) async throws {
        self.steps = steps.onBoard
        self.chances = chances
        random = SeededGenerator(seed: seed)
        stage = StepsStage(self.steps)
        fixture = try await Self.open(stage, JournalDouble(), clock)
        run = try await fixture.board.start("whole", input: ["name": "Ada"], actor: "ana").run
    }

    private static func open(
        _ stage: StepsStage, _ journal: JournalDouble, _ clock: VirtualClock
    ) async throws -> BoardFixture {
        var configuration = Board.Configuration()
        configuration.journalCheckInterval = nil
        configuration.retention = nil
        let board = try await Board.open(
            catalog: stage.catalog(), journal: journal, configuration: configuration, now: { stage.now() }, clock: clock
        )
        return BoardFixture(board: board, journal: journal, clock: clock)
    }

    /// Performs the run; returns its record.
    mutating func perform() async throws -> RunRecord {
        while try await isSomethingToEnd() {
            if cancellations == 0, random.isLikely(chances.cancellation, of: 100) {
                try await cancel()
            } else {
                try await endAny()
            }
        }
        await fixture.board.outcome(of: run)
        let record = try await fixture.board.run(run)
        await fixture.board.shutdown()
        return record
    }

    /// The outcomes that final steps were given.
    var outcomes: [String: String] { stage.outcomes }

    private func state() async throws -> StepsState {
        try await fixture.board.run(run).state.state(as: StepsState.self)
    }

    /// Waits until a step can be ended, or the run is over.
    private func isSomethingToEnd() async throws -> Bool {
        while true {
            try Task.checkCancellation()
            if let violation = stage.violation { throw StepsViolation(violation) }
            let state = try await state()
            if state.phase.isEnded { return false }
            if !stage.waiting.isEmpty || state.steps.steps.contains(where: { $0.status == .asking }) { return true }
            // The recorder holds changes that happen within a tick.
            clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
    }

    private mutating func endAny() async throws {
        let asking = try await state().steps.steps.filter { $0.status == .asking }.map(\.name)
        let waiting = stage.waiting
        let choice = Int.random(in: 0..<max(asking.count + waiting.count, 1), using: &random)
        guard asking.indices.contains(choice) else {
            guard waiting.indices.contains(choice - asking.count) else { return }
            return try await end(waiting[choice - asking.count])
        }
        let isApproved = steps.fates[stage.index(of: asking[choice]) ?? 0].status == .succeeded
        do throws(BoardError) {
            _ = try await fixture.board.decide(run, step: asking[choice], isApproved: isApproved, actor: "vera")
        } catch {
            // The board has just begun and does not accept decisions yet, or the step ended meanwhile.
            guard error.code == .notAsking || error.code == .alreadyEnded else { throw error }
        }
    }

    /// Ends a run of a step by its fate.
    private func end(_ waiting: StepsStage.Waiting) async throws {
        let fate = steps.fates[stage.index(of: waiting.label) ?? 0]
        let item = StepsStage.item(of: waiting.label)
        guard item.map({ fate.items[$0] == .cancelled }) ?? (fate.status == .cancelled) else { return waiting.end() }
        guard let child = try await child(waiting.label) else { return }
        // Returns once that is recorded, or when the run has ended in another way.
        _ = try? await fixture.board.cancel(child, actor: "otto")
    }

    /// The newest run of a label.
    private func child(_ label: String) async throws -> String? {
        let key = StepsStage.item(of: label).map { "\(label.prefix { $0 != "/" })[\($0)]" } ?? label
        var newest: String?
        for attempt in 1... {
            let record = try await fixture.board.journal.run(
                idempotencyKey: "step \(run) \(key) \(attempt)", operation: "echo", actor: "ana")
            guard let record else { break }
            newest = record.id
        }
        return newest
    }

    // MARK: Cancellation

    private mutating func cancel() async throws {
        cancellations += 1
        let request = Task { [fixture, run] in try await fixture.board.cancel(run, actor: "otto") }
        // The request itself waits for the end.
        try await until {
            let state = try await state()
            return state.steps.stop != nil || state.phase.isEnded
        } otherwise: {
            // The recorder can hold the cause as a tick.
            clock.advance(by: .milliseconds(100))
        }
        request.cancel()
    }
}

extension RandomSteps {
    /// The same steps with fates that the work can bring about: no run is interrupted without a restart.
    fileprivate var onBoard: RandomSteps {
        var steps = self
        for index in fates.indices {
            steps.fates[index].outrunsCancellation = false
            if fates[index].status == .interrupted { steps.fates[index].status = .failed }
            if steps.plan.steps[index].repetition != nil || steps.plan.steps[index].retry != nil,
                steps.fates[index].status == .failed
            {
                steps.fates[index].attempts = 3
            }
            steps.fates[index].items = fates[index].items.map { $0 == .interrupted ? .failed : $0 }
        }
        return steps
    }
}
