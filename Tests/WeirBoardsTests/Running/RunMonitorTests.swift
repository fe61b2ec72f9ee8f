import Testing
import TestSupport
import Tracing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirBoards
@testable import WeirTelemetry

@Suite(.timeLimit(.minutes(15))) struct RunMonitorTests {
    private let registry = MetricsRegistry()
    private let spans = Spans()
    private let log = CapturedLog()

    private final class Spans: Sendable {
        private let ended = Locked<[FinishedSpan]>([])

        var all: [FinishedSpan] { ended.withLock { $0 } }

        func add(_ span: FinishedSpan) { ended.withLock { $0.append(span) } }
    }

    private func open(
        _ operations: [String: TestOperation], reentry: ReentryPolicy = .concurrent
    ) async throws -> BoardFixture {
        let fixture = try await BoardFixture.open(operations, reentry: reentry, logger: log.logger) {
            [registry, spans] in
            $0.retention = nil
            $0.telemetry = Telemetry(
                metrics: registry, tracer: SpanTracer { spans.add($0) })
        }
        fixture.board.observe(in: registry)
        return fixture
    }

    private var lines: Set<Substring> { Set(registry.text(.prometheus).split(separator: "\n")) }

    private struct Broken: Error, CustomStringConvertible { let description = "It broke\nhere." }

    @Test func `ends of runs are counted by operation and outcome, from zero, and failures in a row`() async throws {
        let fixture = try await open([
            "job": TestOperation { input, state in
                if input.label == "fail" { throw Broken() }
                if input.label == "wait" { try await Gate().pass() }
                state.value = .success(text: "")
            }
        ])
        #expect(lines.contains(#"weir_runs_total{operation="job",outcome="failed"} 0"#))
        for label in ["fail", "fail", "a", "fail"] {
            let run = try await fixture.board.start("job", input: ["label": .string(label)], actor: "tester").run
            await fixture.board.outcome(of: run)
        }
        let waiting = try await fixture.board.start("job", input: ["label": "wait"], actor: "tester").run
        _ = try await fixture.board.cancel(waiting, actor: "tester")
        let found = lines
        #expect(found.contains(#"weir_runs_total{operation="job",outcome="failed"} 3"#))
        #expect(found.contains(#"weir_runs_total{operation="job",outcome="succeeded"} 1"#))
        #expect(found.contains(#"weir_runs_total{operation="job",outcome="cancelled"} 1"#))
        #expect(found.contains(#"weir_run_failures_consecutive{operation="job"} 1"#))
        #expect(found.contains(#"weir_run_wait_seconds_count{operation="job"} 5"#))
        #expect(found.contains("weir_recording 1"))
        let failures = log.lines.filter { $0.contains("A run failed.") }
        #expect(failures.count == 3 && failures.allSatisfy { $0.contains(#"It broke\nhere."#) && $0.contains("job") })
        #expect(failures.allSatisfy { $0.contains("run=") })
    }

    @Test func `a queued run counts as queued until its work begins, and with the time since its start`() async throws {
        let gate = Gate()
        let fixture = try await open(
            [
                "job": TestOperation { _, state in
                    state.value = .working(step: 1)
                    try await gate.pass()
                    state.value = .success(text: "")
                }
            ], reentry: .queue)
        var runs: [String] = []
        for _ in 0..<3 { runs.append(try await fixture.board.start("job", input: [:], actor: "tester").run) }
        try await until { lines.contains("weir_runs_active 1") }
        #expect(lines.contains("weir_runs_queued 2") && !lines.contains("weir_queue_oldest_seconds 0"))
        // A cancelled one leaves the queue.
        _ = try await fixture.board.cancel(runs[1], actor: "tester")
        #expect(lines.contains("weir_runs_queued 1"))
        gate.open()
        await fixture.board.outcome(of: runs[2])
        try await until { lines.contains("weir_runs_active 0") && lines.contains("weir_runs_queued 0") }
        #expect(lines.contains("weir_queue_oldest_seconds 0"))
    }

    @Test func `a run is a span in the trace of its request, with its queue and its program in it`() async throws {
        let seen = Locked<TraceParent?>(nil)
        let fixture = try await open([
            "job": TestOperation { _, state in
                seen.withLock { $0 = TraceParent.current }
                state.value = .success(text: "")
            }
        ])
        var context = ServiceContext.topLevel
        context.traceParent = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        let run = try await ServiceContext.$current.withValue(context) {
            try await fixture.board.start("job", input: [:], actor: "tester").run
        }
        try await until { spans.all.count == 3 }
        let named = Dictionary(spans.all.map { ($0.name, $0) }) { first, _ in first }
        let whole = try #require(named["run job"])
        #expect(whole.parent == "b7ad6b7169203331" && whole.place.traceID == "0af7651916cd43dd8448eb211c80319c")
        #expect(whole.attributes["weir.run"]?.toSpanAttribute() == .string(run))
        #expect(named["queue"]?.parent == whole.place.spanID && named["program"]?.parent == whole.place.spanID)
        #expect(seen.withLock { $0 } == named["program"]?.place)
    }

    @Test func `appending to the journal is measured`() async throws {
        let fixture = try await open(["job": .quick])
        await fixture.board.outcome(of: try await fixture.board.start("job", input: [:], actor: "tester").run)
        let count = registry.text(.prometheus).split(separator: "\n").first {
            $0.hasPrefix("weir_journal_commit_seconds_count")
        }
        #expect(count != nil && count?.hasSuffix(" 0") == false)
    }
}
