import Testing
import TestSupport
import WeirAccess
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct OperationHealthTests {
    private static let day: Int64 = 86_400_000
    private static let now = Timestamp("2026-11-22T10:30:00Z") ?? Timestamp(milliseconds: 0)

    /// A run that began some time ago and took so long; nil for one that continues.
    private static func run(
        _ number: Int64, _ phase: Phase = .succeeded, ago: Int64 = 3_600_000, took: Int64? = 1_000,
        input: JSONValue = [:], message: String? = nil, expected: RunEstimate? = nil
    ) -> RunRecord {
        let start = now.before(ago)
        return RunRecord(
            id: "r\(number)", operation: "copy",
            opening: RunOpening(actor: "a", input: input, expected: expected),
            state: StateRecord(
                caseName: "\(phase)", payload: message.map { ["message": .string($0)] } ?? [:], phase: phase),
            cause: nil, revision: 1, sequence: SequenceNumber(clamping: number),
            openedSequence: SequenceNumber(clamping: number), startedAt: start, endedAt: took.map(start.after))
    }

    private static func health(_ runs: [RunRecord], details: [RunView] = []) -> OperationHealth {
        OperationHealth(of: "copy", runs: runs, details: details, asOf: now)
    }

    @Test func `without runs there are no figures, and a week of empty days`() {
        let health = Self.health([])
        #expect(health.figures.ended == 0 && health.figures.successRate == nil && health.figures.p50 == nil)
        #expect(health.buckets.count == 7 && health.buckets.allSatisfy { $0.figures.ended == 0 })
        #expect(health.usual == nil && health.slow(at: Self.now).isEmpty)
        #expect(health.slowest.isEmpty && health.errors.isEmpty && health.inputs.isEmpty && health.states.isEmpty)
    }

    @Test func `one run is its own median, and too little to say what is usual`() {
        let health = Self.health([Self.run(1, took: 700), Self.run(2, .active, took: nil)])
        #expect(health.figures.successRate == 1 && health.figures.p50 == 700 && health.figures.p95 == 700)
        #expect(health.usual == nil && health.slow(at: Self.now.after(Self.day)).isEmpty)
        #expect(health.isHourly && health.buckets.count == 25)
        #expect(health.buckets.last?.start == Timestamp("2026-11-22T10:00:00Z"))
        #expect(health.buckets.dropLast().last?.figures.succeeded == 1)
    }

    @Test func `when all failed the rate is nothing, and no duration is told`() {
        let health = Self.health((1...4).map { Self.run($0, .failed) })
        #expect(health.figures.successRate == 0 && health.figures.p50 == nil && health.figures.p95 == nil)
        #expect(health.slowest.count == 4)
    }

    @Test func `cancelled and interrupted runs are neither successes nor failures`() {
        let health = Self.health([
            Self.run(1), Self.run(2, .failed), Self.run(3, .cancelled), Self.run(4, .interrupted),
        ])
        #expect(health.figures.successRate == 0.5 && health.figures.stopped == 2)
        #expect(health.slowest.map(\.id) == ["r2", "r1"])
    }

    @Test func `percentiles are values that there were`() {
        let values: [Int64] = (1...20).reversed()
        #expect(OperationHealth.Figures.percentile(50, of: values) == 10)
        #expect(OperationHealth.Figures.percentile(95, of: values) == 19)
        #expect(OperationHealth.Figures.percentile(95, of: [5, 5, 5]) == 5)
    }

    @Test func `days stand side by side without gaps, and there are never more than of the span`() {
        let health = Self.health([Self.run(9, ago: -40 * Self.day), Self.run(1, ago: 12 * Self.day), Self.run(2)])
        #expect(!health.isHourly && health.buckets.count == 13)
        #expect(health.buckets.first?.figures.ended == 1 && health.buckets.last?.figures.ended == 2)
        #expect(health.buckets.first?.start == Timestamp("2026-11-10T00:00:00Z"))
        let old = Self.health([Self.run(1, ago: 4_000 * Self.day), Self.run(2, ago: .max)])
        #expect(old.buckets.count == 31 && old.buckets.first?.figures.ended == 2)
    }

    @Test func `a clock that was set back makes a duration of nothing, and a huge one stays a number`() {
        let back = Self.run(1, ago: 1_000, took: -5_000)
        let huge = Self.run(2, ago: .max, took: .max)
        let health = Self.health([back, huge])
        #expect(back.duration == 0 && huge.duration > 0)
        #expect(health.figures.p50 == 0 && health.figures.p95 == huge.duration)
        #expect(health.slowest.map(\.id) == ["r2"])
    }

    @Test func `of runs that took equally long the newer stands first`() {
        #expect(Self.health((1...7).map { Self.run($0) }).slowest.map(\.id) == ["r7", "r6", "r5", "r4", "r3"])
    }

    @Test func `a failed program is told by the line that it printed last, any other failure by its message`() {
        let members: [String: JSONValue] = ["message": "It ended with exit code 1.", "last": "No rate.", "code": 1]
        func lastWords(without name: String) -> String? {
            StateRecord(caseName: "failed", payload: .object(members.filter { $0.key != name }), phase: .failed)
                .lastWords
        }
        #expect(["", "code", "last"].map(lastWords) == ["No rate.", nil, nil])
    }

    @Test func `errors that differ in numbers are one, with the words that find them`() throws {
        let health = Self.health([
            Self.run(4, .failed, message: "Timeout after 45 s."), Self.run(3, .failed, message: "Timeout after 1.5 s."),
            Self.run(2, .failed, message: "No answer."), Self.run(1, .failed), Self.run(5, message: "Done."),
        ])
        #expect(health.errors.map(\.sentence) == ["Timeout after # s.", "No answer.", nil])
        #expect(health.errors.map(\.count) == [2, 1, 1])
        #expect(health.errors.map(\.newest.id) == ["r4", "r2", "r1"])
        #expect(health.errors.map(\.search) == ["Timeout after s.", "No answer.", ""])
        let found = SearchQuery(try #require(health.errors.first).search)
        #expect(found.matches(folded: RunText(Self.run(9, .failed, message: "Timeout after 7 s.")).words))
    }

    @Test(arguments: [
        ("exit code 12", "exit code #"), ("10:22:01 late", "# late"), ("1,250 rows", "# rows"),
        ("run 01kb3x9q2v failed", "run # failed"), ("no 8f14e45f-ceea-467f in a/b2", "no # in a/b#"), ("31s", "#s"),
    ]) func `what differs each time is left out of a sentence`(sentence: String, pattern: String) {
        #expect(SentencePattern(sentence)?.text == pattern)
    }

    @Test func `a sentence without words is no pattern, and a long one is cut`() throws {
        #expect(SentencePattern(" \n")?.text == nil)
        #expect(try #require(SentencePattern(String(repeating: "ab ", count: 900))).text.count <= 300)
    }

    @Test func `the inputs that failed most are told with how often they were tried`() {
        let (a, b): (JSONValue, JSONValue) = (["url": "http://a"], ["url": "http://b"])
        let health = Self.health([
            Self.run(1, .failed, input: a), Self.run(2, .failed, input: a), Self.run(3, input: a),
            Self.run(4, .failed, input: b), Self.run(5, .cancelled, input: b), Self.run(6, .failed),
            Self.run(7, input: ["url": "http://c"]),
        ])
        #expect(health.inputs.map(\.input) == [a, b])
        #expect(health.inputs.map(\.failed) == [2, 1] && health.inputs.map(\.ended) == [3, 1])
        #expect(health.inputs.map(\.search) == ["http://a", "http://b"])
    }

    @Test
    func `a run is slower than usual once it outlasts 95 of 100 successes, or its estimate`() {
        let rest = RunEstimate.Remaining(shortest: 1, longest: 9_000, right: 9, tried: 10)
        let health = Self.health(
            (1...5).map { Self.run($0, took: 2_000) }
                + [
                    Self.run(6, .active, ago: 0, took: nil),
                    Self.run(7, .active, ago: 0, took: nil, expected: RunEstimate(cases: ["x": rest])),
                ])
        #expect(health.usual == 2_000)
        #expect(health.slow(at: Self.now.after(1_999)).isEmpty)
        #expect(health.slow(at: Self.now.after(2_000)).map(\.id) == ["r6"])
        #expect(health.slow(at: Self.now.after(9_000)).map(\.id) == ["r6", "r7"])
    }

    @Test func `what may not be seen does not count, and states are measured`() async throws {
        let fixture = try await BoardFixture.open(["mine": .quick, "other": .quick])
        let board = fixture.board
        for operation in ["mine", "mine", "other"] {
            let id = try await board.start(operation, input: [:], actor: "tester").run
            await board.outcome(of: id)
        }
        let visible = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see], operations: ["mine"], of: board))
        let health = try await visible.health(of: "mine", asOf: Timestamp(milliseconds: 10_000))
        #expect(health.figures.succeeded == 2 && !health.isCut)
        #expect(health.states.map(\.caseName) == ["working"] && health.states.map(\.runs) == [2])
        await #expect(throws: BoardError.self) {
            _ = try await visible.health(of: "other", asOf: Timestamp(milliseconds: 10_000))
        }
        await board.shutdown()
    }

    @Test(arguments: [(499, true), (500, false)])
    func `the states of a run are measured up to its 500th change`(states: Int, areMeasured: Bool) async throws {
        let fixture = try await BoardFixture.open([
            "long": TestOperation { _, state in
                for step in 1...states { state.value = step % 2 == 0 ? .resting(step: step) : .working(step: step) }
                state.value = .success(text: "")
            }
        ])
        let board = fixture.board
        let id = try await board.start("long", input: [:], actor: "tester").run
        await board.outcome(of: id)
        #expect(try await board.run(id).revision == Int64(states) + 1)
        let visible = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see], operations: ["long"], of: board))
        let health = try await visible.health(of: "long", asOf: Timestamp(milliseconds: 10_000))
        #expect(health.figures.succeeded == 1)
        #expect(health.states.isEmpty == !areMeasured)
        await board.shutdown()
    }
}
