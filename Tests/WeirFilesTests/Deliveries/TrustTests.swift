import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirFiles

/// Random histories of a real board, told to a receiver that fails in every way it can.
@Suite(.timeLimit(.minutes(15)))
struct TrustTests {
    // MARK: Work

    /// What the runs wait for: the words with which each fails, or "" for a success.
    private final class Script: Sendable {
        let ends = MutableStateFlow<[String: String]>([:])
        /// The ends of the next runs of a step.
        let steps = Locked<[String]>([])
    }

    private struct Talk: SimpleOperation {
        struct Input: OperationInput {
            static var fields: [InputField] { [InputField("key", "Key", .text(), required: true)] }
            let key: String
        }

        let script: Script

        func run(_ input: Input, report: RunReporter) async throws -> NoResult {
            await report.print("\(input.key) begins")
            guard let words = await script.ends.first(where: { $0[input.key] != nil })?[input.key] else {
                throw CancellationError()
            }
            await report.print("\(input.key) ends")
            if !words.isEmpty { throw OperationFailure(words) }
            return NoResult()
        }
    }

    private struct Inner: SimpleOperation {
        struct Input: OperationInput {
            static var fields: [InputField] { [] }
        }

        let script: Script

        func run(_ input: Input, report: RunReporter) async throws -> NoResult {
            let words = script.steps.withLock { $0.isEmpty ? "" : $0.removeFirst() }
            await report.print("tried \(words)")
            if !words.isEmpty { throw OperationFailure(words) }
            return NoResult()
        }
    }

    // MARK: Receiver

    /// Fails up to four times for each message, refuses some for good, and accepts the others.
    private final class Post: Sendable {
        struct State {
            var random: SeededGenerator
            var failures: [String: Int] = [:]
            var bodies: [String: [String]] = [:]
            var accepted: [String: Int] = [:]
            var refused: Set<String> = []
        }

        let state: Locked<State>

        init(seed: UInt64) { state = Locked(State(random: SeededGenerator(seed: seed))) }

        func answer(_ request: RequestListener.Request) -> String {
            let id = request.headers["x-weir-delivery"] ?? ""
            return state.withLock { state in
                state.bodies[id, default: []].append(request.body)
                let left = state.failures[id] ?? Int.random(in: -1...4, using: &state.random)
                state.failures[id] = left - 1
                switch left {
                case ...(-1) where state.accepted[id] == nil:
                    state.refused.insert(id)
                    return RequestListener.http("404 Not Found", "There is no such hook.")
                case ...0:
                    state.accepted[id, default: 0] += 1
                    return RequestListener.http("200 OK", "Thanks.")
                default:
                    let failures = [
                        RequestListener.http("500 Internal Server Error", "Oh."),
                        RequestListener.http("429 Too Many Requests", "Later.", fields: "Retry-After: 7\r\n"),
                        RequestListener.http("408 Request Timeout", ""), "no HTTP\r\n\r\n", "HTTP/1.1 2", "",
                    ]
                    return failures[Int.random(in: failures.indices, using: &state.random)]
                }
            }
        }
    }

    // MARK: History

    private struct End {
        let run: String
        let operation: String
        let phase: Phase
        var message: String?
        var step: String?
        var output: [String] = []
    }

    private static let events: Set<NotificationEvent> = [.failed, .interrupted, .recovered]

    /// The messages that must have been sent, by looking back from each end.
    private func expected(_ ends: [End]) -> [String: (event: NotificationEvent, end: End)] {
        var messages: [String: (event: NotificationEvent, end: End)] = [:]
        for (index, end) in ends.enumerated() {
            let before = ends[..<index].last { $0.operation == end.operation && $0.phase != .cancelled }
            let event: NotificationEvent? =
                switch end.phase {
                case .failed: .failed
                case .interrupted: .interrupted
                case .succeeded where before.map { $0.phase != .succeeded } ?? false: .recovered
                default: nil
                }
            if let event { messages["\(end.run)-1"] = (event, end) }
        }
        return messages
    }

    @Test(arguments: UInt64(0)..<4)
    func
        `a receiver that fails in every way gets each failure and each recovery once, with step, reason and last lines`(
            seed: UInt64
        ) async throws
    {
        var random = SeededGenerator(seed: seed)
        let (script, post, journal) = (Script(), Post(seed: seed), MemoryJournal(epoch: "testepoch0001"))
        let listener = try await RequestListener { post.answer($0) }
        let rules = [try NotificationRule.webhook(listener.url + "/", Self.events)]
        let add: (inout Catalog) -> Void = { catalog in
            catalog.add(Talk(script: script), id: "talk", title: "Talk", summary: "Talks.")
            catalog.add(Inner(script: script), id: "inner", title: "Inner", summary: "Is a step.")
            let step = StepsPlan.Step(
                "copy", .run(operation: "inner", input: [:]), retry: .init(limit: 1, interval: .zero))
            catalog.add(
                StepsOperation(StepsPlan([step]), fields: []), id: "whole", title: "Whole", summary: "Has a step.",
                tags: [], reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        }
        var fixture = try await Fixture(rules, journal: journal, adding: add)
        var (ends, active, made, restarts) = ([End](), [(run: String, key: String)](), 0, 0)
        for _ in 0..<30 {
            fixture.clock.advance(by: .seconds(3))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                made += 1
                let run = try await fixture.board.start("talk", input: ["key": .string("k\(made)")], actor: "Ana").run
                active.append((run, "k\(made)"))
                try await until { try await fixture.board.outputTail(of: run).head == 1 }
            case 5..<9:
                guard let index = active.indices.randomElement(using: &random) else { continue }
                let (run, key) = active.remove(at: index)
                let words = Bool.random(using: &random) ? "" : "No \(key)."
                let isCancelled = Int.random(in: 0..<4, using: &random) == 0
                if isCancelled {
                    _ = try await fixture.board.cancel(run, actor: "Ana")
                } else {
                    script.ends.update { $0.merging([key: words]) { $1 } }
                }
                await fixture.board.outcome(of: run)
                ends.append(
                    End(
                        run: run, operation: "talk",
                        phase: isCancelled ? .cancelled : words.isEmpty ? .succeeded : .failed,
                        message: words.isEmpty ? nil : words, output: ["\(key) begins", "\(key) ends"]))
            case 9..<11:
                // The first attempt fails in either case.
                let isFailed = Bool.random(using: &random)
                script.steps.withLock { $0 = ["It is full.", isFailed ? "It is still full." : ""] }
                let run = try await fixture.board.start("whole", input: [:], actor: "Ana").run
                await fixture.board.outcome(of: run)
                ends.append(
                    End(
                        run: run, operation: "whole", phase: isFailed ? .failed : .succeeded,
                        message: isFailed ? "The step “copy” failed. It is still full." : nil,
                        step: isFailed ? "copy" : nil, output: isFailed ? ["tried It is still full."] : []))
            default:
                // Half of the histories are of one process, so that each message is accepted exactly once.
                guard seed.isMultiple(of: 2) else { continue }
                restarts += 1
                let (store, clock) = (fixture.store, fixture.clock)
                await fixture.stop()
                await fixture.board.shutdown()
                fixture = try await Fixture(rules, journal: journal, store: store, clock: clock, adding: add)
                for (run, key) in active {
                    ends.append(End(run: run, operation: "talk", phase: .interrupted, output: ["\(key) begins"]))
                }
                active = []
            }
        }
        let messages = expected(ends)
        let store = fixture.store
        func deliveries() async throws -> [DeliveryRecord] {
            var all: [DeliveryRecord] = []
            for operation in ["talk", "inner", "whole"] {
                all += try await store.deliveries(of: operation, limit: 1_000)
            }
            return all
        }
        try await until {
            let all = try await deliveries()
            return all.count >= messages.count && !all.contains { $0.status == .waiting }
        } otherwise: {
            fixture.clock.advance(by: .seconds(30))
        }
        let known = try await deliveries()
        #expect(Set(known.map(\.id)) == Set(messages.keys), "seed \(seed)")
        let state = post.state.withLock { $0 }
        #expect(Set(state.accepted.keys).union(state.refused) == Set(messages.keys), "seed \(seed)")
        #expect(state.accepted.keys.allSatisfy { !state.refused.contains($0) })
        if restarts == 0 { #expect(state.accepted.values.allSatisfy { $0 == 1 }) }
        for (id, (event, end)) in messages {
            let bodies = try #require(state.bodies[id])
            #expect(Set(bodies).count == 1, "\(id) has another body when it is sent again")
            let body = try JSONValue(parsing: try #require(bodies.first))
            #expect(body["event"]?.string == event.rawValue)
            #expect(body["run"]?["id"]?.string == end.run)
            #expect(body["operation"]?["id"]?.string == end.operation)
            if end.phase == .failed { #expect(body["run"]?["message"]?.string == end.message) }
            #expect(body["run"]?["step"]?.string == end.step)
            if end.phase == .failed || end.operation == "talk" {
                #expect(body["run"]?["output"]?.array?.compactMap(\.string) == end.output, "\(event)")
            }
        }
        await fixture.stop()
        await fixture.board.shutdown()
    }
}
