import Foundation
import Testing
import TestSupport
import WeirJournals
import WeirStates

@testable import WeirBoards

/// Which ends are which events, over histories in which runs overlap, and which scheduled starts are told of.
struct NotificationStateTests {
    private static func rule(_ name: String, _ events: Set<NotificationEvent>) throws -> NotificationRule {
        NotificationRule(name: name, events: events, channel: .command([try PathTemplate("true")]))
    }

    private func plan() throws -> HookPlan {
        var plan = HookPlan()
        plan.standard = [
            try Self.rule("bad", [.failed, .recovered]), try Self.rule("all", Set(NotificationEvent.allCases)),
        ]
        plan.notifications = ["own": [try Self.rule("bad", [.failed, .recovered])], "quiet": []]
        return plan
    }

    /// The events that the rule `bad` is told of.
    private func events(_ phases: [Phase], of operation: String = "job", isStep: Bool = false) throws
        -> [NotificationEvent]
    {
        let plan = try plan()
        var state = NotificationState()
        return phases.flatMap { phase in
            state.take(phase, of: operation, run: "r", isStep: isStep, by: plan).filter { $0.rule.name == "bad" }.map(
                \.event)
        }
    }

    @Test func `a failure is answered by one recovery, whatever ended in between`() throws {
        #expect(try events([.failed, .cancelled, .succeeded, .succeeded]) == [.failed, .recovered])
        #expect(try events([.failed, .failed, .interrupted, .succeeded]) == [.failed, .failed, .recovered])
        // One that began before the failure is cancelled after the success.
        #expect(try events([.failed, .succeeded, .cancelled, .failed]) == [.failed, .recovered, .failed])
        #expect(try events([.interrupted, .succeeded]) == [.recovered])
        #expect(try events([.cancelled, .succeeded]) == [])
    }

    @Test func `steps are told of only by rules of their own operation`() throws {
        #expect(try events([.failed, .failed, .succeeded], isStep: true) == [])
        #expect(try events([.failed, .failed, .succeeded], of: "own", isStep: true) == [.failed, .failed, .recovered])
        #expect(try events([.failed, .succeeded], of: "quiet") == [])
    }

    @Test func `a step that succeeds answers no failure that was told of`() throws {
        let plan = try plan()
        var state = NotificationState()
        let failed = state.take(.failed, of: "job", run: "r", by: plan)
        let step = state.take(.succeeded, of: "job", run: "r", isStep: true, by: plan)
        let succeeded = state.take(.succeeded, of: "job", run: "r", by: plan)
        #expect(failed.map(\.event) == [.failed, .failed])
        #expect(step == [])
        #expect(succeeded.map(\.event) == [.recovered, .recovered])
    }

    // MARK: Random histories

    private struct End {
        let run: Int
        let operation: String
        let isStep: Bool
        let phase: Phase
    }

    /// Runs that overlap, are tried again as steps are, are cancelled, and are interrupted all at once by a restart.
    private func history(_ random: inout SeededGenerator) -> [End] {
        var (ends, made) = ([End](), 0)
        var active: [(run: Int, operation: String, isStep: Bool)] = []
        func end(_ index: Int, _ phase: Phase) {
            let run = active.remove(at: index)
            ends.append(End(run: run.run, operation: run.operation, isStep: run.isStep, phase: phase))
            guard phase == .failed, run.isStep else { return }
            made += 1
            active.append((made, run.operation, true))
        }
        while ends.count < 40 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: while !active.isEmpty { end(0, .interrupted) }
            case 1..<10:
                made += 1
                let operation = ["job", "other", "own", "quiet"].randomElement(using: &random) ?? "job"
                active.append((made, operation, Int.random(in: 0..<3, using: &random) == 0))
            default:
                guard let index = active.indices.randomElement(using: &random) else { continue }
                end(index, [.succeeded, .failed, .failed, .cancelled].randomElement(using: &random) ?? .failed)
            }
        }
        return ends
    }

    /// The messages that must have been sent, by looking back from each end.
    private func expected(_ ends: [End], _ plan: HookPlan) -> [String: NotificationEvent] {
        func isTold(_ end: End) -> Bool { !end.isStep || plan.notifications[end.operation] != nil }
        var messages: [String: NotificationEvent] = [:]
        for (index, end) in ends.enumerated() where isTold(end) {
            let before = ends[..<index].last {
                $0.operation == end.operation && isTold($0) && $0.phase != .cancelled
            }
            let wasBad = before.map { $0.phase == .failed || $0.phase == .interrupted } ?? false
            for rule in plan.rules(of: end.operation) {
                let event: NotificationEvent? =
                    switch end.phase {
                    case .failed: .failed
                    case .cancelled: .cancelled
                    case .interrupted: .interrupted
                    case .succeeded: wasBad ? .recovered : .succeeded
                    case .idle, .active: nil
                    }
                if let event, rule.events.contains(event) { messages["\(end.run)-\(rule.name)"] = event }
            }
        }
        return messages
    }

    @Test(arguments: UInt64(0)..<200)
    func `the messages are those that a history requires, however often a server crashes between`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let plan = try plan()
        let ends = history(&random)
        var messages: [String: NotificationEvent] = [:]
        var state = NotificationState()
        var (kept, keptPosition) = (try JSONEncoder().encode(state), 0)
        var (position, crashes) = (0, 0)
        while position < ends.count {
            let end = ends[position]
            for match in state.take(end.phase, of: end.operation, run: "r", isStep: end.isStep, by: plan) {
                let id = "\(end.run)-\(match.rule.name)"
                #expect(messages[id] == nil || messages[id] == match.event, "\(id) would be another message")
                messages[id] = match.event
            }
            position += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: (kept, keptPosition) = (try JSONEncoder().encode(state), position)
            case 4 where crashes < 20:
                // The server, or another one, continues at what was stored last.
                crashes += 1
                (state, position) = (try JSONDecoder().decode(NotificationState.self, from: kept), keptPosition)
            default: break
            }
        }
        #expect(messages == expected(ends, plan))
    }

    // MARK: Scheduled starts

    private let at = Timestamp(milliseconds: 1_000)

    private func standing(
        last: (at: Int64, run: String?)? = nil, missed: (at: Int64, count: Int)? = nil
    ) -> ScheduleStanding {
        ScheduleStanding(
            "@daily UTC", from: at,
            last: last.map { last in
                .init(
                    time: at, at: Timestamp(milliseconds: last.at), run: last.run,
                    refusal: last.run == nil ? "A run is active." : nil)
            },
            missed: missed.map { .init(count: $0.count, newest: at, at: Timestamp(milliseconds: $0.at)) })
    }

    @Test func `a refused or missed start is told of once, and what was before the first look never`() throws {
        var state = NotificationState()
        #expect(state.take(["old": standing(last: (1, nil))]) == [])
        #expect(state.take(["old": standing(last: (1, nil)), "new": standing()]) == [])
        #expect(state.take(["new": standing(last: (2, "r"))]) == [])
        let refused = state.take(["new": standing(last: (3, nil))])
        #expect(refused.map(\.reason) == [.refused("A run is active.")])
        #expect(
            refused.first?.sentence
                == "The start planned for 1970-01-01T00:00:01.000Z was refused: A run is active.")
        // Over a restart, and with a look in between that noticed what had passed.
        state = try JSONDecoder().decode(NotificationState.self, from: try JSONEncoder().encode(state))
        #expect(state.take(["new": standing(last: (3, nil))]) == [])
        let both = state.take(["new": standing(last: (5, nil), missed: (4, 7))])
        #expect(both.map(\.reason) == [.passed(count: 7), .refused("A run is active.")])
        #expect(state.take(["new": standing(last: (5, nil), missed: (4, 7))]) == [])
    }

    @Test func `the message about a start has an id of its own, and no run`() throws {
        var state = NotificationState()
        _ = state.take([:])
        let start = try #require(state.take(["new": standing(last: (3, nil))]).first)
        let facts = start.facts(by: try Self.rule("1", [.missed]), title: "New", url: "https://weir.example/x")
        #expect(facts.delivery == "new-1.refused-1000")
        #expect(facts.headline == "New was not started by its schedule")
        #expect(facts.run == nil && facts.plannedAt == 1_000 && facts.endedAt == 3)
        let body = NotificationFormat.generic(facts)
        #expect(body["event"] == "missed" && body["run"] == nil)
        #expect(body["start"]?["plannedAt"] == 1_000)
    }
}
