import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Runs that the server carries out where they were started, while another one records.
@Suite(.timeLimit(.minutes(15))) struct AssignedRunTests {
    /// An operation that says on which server it works, and goes on until the gate opens.
    private func work(_ node: String, _ gate: Gate = Gate()) -> TestOperation {
        TestOperation { input, state in
            state.value = .working(step: Int(node.utf8.first ?? 0))
            try await gate.pass()
            state.value = .success(text: node)
        }
    }

    private func pair(
        servers: Int = 2, _ reentry: ReentryPolicy = .concurrent, gate: Gate = Gate(),
        configuration: (inout Board.Configuration) -> Void = { _ in }
    ) async throws -> BoardPair {
        try await BoardPair(servers: servers, configuration: configuration) { catalog, node in
            catalog.add(work(node, gate), id: "job", title: "job", summary: "A test.", reentry: reentry)
        }
    }

    /// The state of a run as a board shows it, once it is in a phase.
    private func state(_ run: String, at board: Board, in phase: Phase) async throws -> StateRecord {
        func record() -> RunRecord? {
            board.feed.board.recentRuns.first { $0.record.id == run && $0.record.state.phase == phase }?.record
        }
        try await until { record() != nil }
        return try #require(record()).state
    }

    private func step(_ node: String) -> JSONValue { .integer(Int64(node.utf8.first ?? 0)) }

    @Test func `a run is carried out by the server where it was started, and shown by all`() async throws {
        let gate = Gate()
        let pair = try await pair(servers: 3, gate: gate)
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        for board in pair.boards {
            #expect(try await state(run, at: board, in: .active).payload["step"] == step("b"))
        }
        #expect(pair.first.membership?.nodes.map(\.node.name).count == 3)
        #expect((pair.first.runs.countHere, pair.second.runs.countHere) == (0, 1))
        gate.open()
        for board in pair.boards {
            #expect(try await state(run, at: board, in: .succeeded).payload["text"] == "b")
        }
        try await pair.beats { pair.cluster.assignments.isEmpty && pair.boards.allSatisfy { $0.runs.count == 0 } }
        await pair.shutdown()
    }

    @Test func `a run begins elsewhere also if its opening is published before the append of it is confirmed`()
        async throws
    {
        let (gate, confirmation) = (Gate(), Gate())
        let pair = try await pair(gate: gate)
        pair.journals[0].confirmation.withLock { $0 = confirmation }
        async let started = pair.second.start("job", input: [:], actor: "anna").run
        try await until { pair.first.runs.all.contains { $0.opened.resolved != nil } }
        // The run is about to leave the recording server.
        for _ in 0..<1_000 { await Task.yield() }
        confirmation.open()
        let run = try await started
        _ = try await state(run, at: pair.first, in: .active)
        gate.open()
        #expect(try await state(run, at: pair.first, in: .succeeded).payload["text"] == "b")
        await pair.shutdown()
    }

    @Test func `where runs are not to be spread, the server that records carries all of them out`() async throws {
        let gate = Gate()
        let pair = try await pair(gate: gate) { $0.carriesOutForOthers = false }
        gate.open()
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        #expect(try await state(run, at: pair.second, in: .succeeded).payload["text"] == "a")
        await pair.shutdown()
    }

    @Test func `a run is cancelled from every server, by whom it says`() async throws {
        let pair = try await pair(servers: 3)
        for board in pair.boards {
            let run = try await pair.second.start("job", input: [:], actor: "anna").run
            _ = try await state(run, at: board, in: .active)
            let receipt = try await board.cancel(run, actor: "vera")
            #expect(receipt.sequence != nil)
            _ = try await state(run, at: pair.third, in: .cancelled)
            #expect(try await pair.third.run(run).cause == "cancelled by vera")
        }
        try await pair.beats { pair.second.runs.count == 0 }
        await pair.shutdown()
    }

    @Test func `an operation that does one at a time does one on all servers together`() async throws {
        let pair = try await pair(servers: 3, .ignore)
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        for board in pair.boards {
            let busy = await refusal { () throws(BoardError) in
                _ = try await board.start("job", input: [:], actor: "vera")
            }
            #expect(busy?.code == .busy)
        }
        _ = try await pair.third.cancel(run, actor: "vera")
        let next = try await pair.third.start("job", input: [:], actor: "vera").run
        #expect(try await state(next, at: pair.first, in: .active).payload["step"] == step("c"))
        await pair.shutdown()
    }

    @Test func `a run waits for its turn behind one of another server, and is joined and replaced by those of others`()
        async throws
    {
        let gate = Gate()
        let queueing = try await pair(servers: 3, .queue, gate: gate)
        let before = try await queueing.second.start("job", input: [:], actor: "anna").run
        let after = try await queueing.third.start("job", input: [:], actor: "anna").run
        let never = try await queueing.third.start("job", input: [:], actor: "anna").run
        _ = try await state(before, at: queueing.third, in: .active)
        #expect(try await queueing.first.run(after).state.phase == .idle)
        _ = try await queueing.second.cancel(never, actor: "vera")
        #expect(try await queueing.first.run(never).state.phase == .cancelled)
        gate.open()
        #expect(try await state(after, at: queueing.first, in: .succeeded).payload["text"] == "c")
        await queueing.shutdown()

        let joining = try await pair(.joinExisting)
        let run = try await joining.second.start("job", input: [:], actor: "anna").run
        #expect(try await joining.first.start("job", input: [:], actor: "vera").run == run)
        await joining.shutdown()

        let replacing = try await pair(.cancelPrevious)
        let old = try await replacing.second.start("job", input: [:], actor: "anna").run
        _ = try await state(old, at: replacing.first, in: .active)
        let new = try await replacing.first.start("job", input: [:], actor: "vera").run
        _ = try await state(old, at: replacing.first, in: .cancelled)
        #expect(try await replacing.first.run(old).cause == "replaced by a newer run")
        #expect(try await state(new, at: replacing.second, in: .active).payload["step"] == step("a"))
        await replacing.shutdown()
    }

    @Test func `the same key leads to the same run, wherever it was started`() async throws {
        let pair = try await pair(servers: 3)
        let run = try await pair.second.start("job", input: [:], actor: "anna", idempotencyKey: "key")
        for board in pair.boards {
            let again = try await board.start("job", input: [:], actor: "anna", idempotencyKey: "key")
            #expect((again.run, again.isNew) == (run.run, false))
        }
        await pair.shutdown()
    }

    @Test func `when the server is gone that carries out a run, the run is interrupted, and nothing it says counts`()
        async throws
    {
        let gate = Gate()
        let pair = try await pair(gate: gate)
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        let here = try await pair.first.start("job", input: [:], actor: "anna").run
        _ = try await state(run, at: pair.first, in: .active)
        pair.journals[1].isDead.withLock { $0 = true }
        try await pair.beats { try await pair.first.run(run).state.phase == .interrupted }
        pair.journals[1].isDead.withLock { $0 = false }
        gate.open()
        _ = try await state(here, at: pair.first, in: .succeeded)
        try await pair.beats { pair.second.runs.count == 0 && pair.second.recorder.backlog == 0 }
        #expect(try await pair.first.run(run).state.phase == .interrupted)
        // It carries out others from then on.
        try await pair.hear()
        let next = try await pair.second.start("job", input: [:], actor: "anna").run
        #expect(try await state(next, at: pair.first, in: .succeeded).payload["text"] == "b")
        await pair.shutdown()
    }

    @Test func `what another server has ended is given up, also if it was not taken away, and all else is recorded`()
        async throws
    {
        let gate = Gate()
        let pair = try await pair(gate: gate)
        let lost = try await pair.second.start("job", input: [:], actor: "anna").run
        let kept = try await pair.second.start("job", input: [:], actor: "anna").run
        _ = try await state(kept, at: pair.first, in: .active)
        _ = try await state(lost, at: pair.first, in: .active)
        // As a server of an earlier version does when it takes the place of the one that records.
        let end = ChangeDraft.interruption(
            of: try await pair.first.run(lost), at: Timestamp(milliseconds: 1), cause: .stopped)
        _ = try await pair.journals[0].append([end])
        gate.open()
        try await pair.beats { try await pair.first.run(kept).state.phase == .succeeded }
        #expect(try await pair.first.run(lost).state.phase == .interrupted)
        try await pair.beats { pair.second.recorder.backlog == 0 && pair.second.runs.count == 0 }
        await pair.shutdown()
    }

    @Test func `when the server that records is gone, what others carry out goes on under the next`() async throws {
        let gate = Gate()
        let pair = try await pair(servers: 3, gate: gate)
        var runs: [String] = []
        for board in pair.boards {
            runs.append(try await board.start("job", input: [:], actor: "anna").run)
            _ = try await state(runs[runs.count - 1], at: pair.first, in: .active)
        }
        pair.journals[0].isDead.withLock { $0 = true }
        try await pair.beats { pair.cluster.recording != "a" }
        let recording = try #require(pair.boards.first { $0.isRecording })
        try await pair.beats { recording.currentRole.value == .recording }
        _ = try await state(runs[0], at: pair.second, in: .interrupted)
        let other = try #require(pair.boards.dropFirst().first { !$0.isRecording })
        #expect((recording.runs.count, recording.runs.countHere, other.runs.countHere) == (2, 1, 1))
        gate.open()
        #expect(try await state(runs[1], at: pair.third, in: .succeeded).payload["text"] == "b")
        #expect(try await state(runs[2], at: pair.second, in: .succeeded).payload["text"] == "c")
        try await pair.beats {
            pair.cluster.assignments.isEmpty && recording.runs.count == 0 && other.runs.count == 0
        }
        // The first one cannot record the ends of its runs, and waits for the drain timeout.
        let isOver = Locked(false)
        async let ending: Void = {
            await pair.shutdown()
            isOver.withLock { $0 = true }
        }()
        try await until {
            isOver.withLock { $0 }
        } otherwise: {
            pair.clock.advance(by: .seconds(1))
        }
        await ending
    }

    @Test func `when the server that records stops, what others carry out goes on`() async throws {
        let gate = Gate()
        let pair = try await pair(gate: gate)
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        _ = try await state(run, at: pair.first, in: .active)
        await pair.first.shutdown()
        #expect(try await pair.second.run(run).state.phase == .active)
        #expect(pair.cluster.assignments.map(\.cause) == [nil])
        gate.open()
        _ = try await state(run, at: pair.second, in: .succeeded)
        await pair.second.shutdown()
    }

    @Test func `a server that stops ends what it carries out, and says why`() async throws {
        let pair = try await pair()
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        _ = try await state(run, at: pair.first, in: .active)
        await pair.second.shutdown()
        _ = try await state(run, at: pair.first, in: .interrupted)
        #expect(try await pair.first.run(run).cause == "the server was stopped")
        await pair.first.shutdown()
    }

    @Test func `a run of an operation that the server does not have which is to carry it out ends, with the reason`()
        async throws
    {
        let pair = try await BoardPair { catalog, node in
            if node == "a" { catalog.add(TestOperation.endless, id: "job", title: "job", summary: "A test.") }
        }
        let command = BoardCommand.start(operation: "job", input: [:], actor: "anna", key: nil)
        let run = try await pair.first.perform(command, of: "b").startReceipt.run
        _ = try await state(run, at: pair.first, in: .interrupted)
        #expect(try await pair.first.run(run).cause?.contains("does not have this operation") == true)
        await pair.shutdown()
    }

    @Test func `what a run prints on another server is shown by all, before its end`() async throws {
        let gate = Gate()
        let pair = try await BoardPair { catalog, node in
            catalog.add(
                PrintingOperation { state, output in
                    await output.write("from \(node)", to: .standardOutput)
                    try await gate.pass()
                    await output.write("last", to: .standardOutput)
                    state.value = .success(text: node)
                }, id: "job", title: "job", summary: "A test.")
        }
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        for board in pair.boards {
            try await until { board.feed.output(of: run)?.head == 1 }
        }
        gate.open()
        for board in pair.boards {
            _ = try await state(run, at: board, in: .succeeded)
            #expect(board.feed.output(of: run)?.lines.map(\.draft.text) == ["from b", "last"])
            try await until { board.feed.output(of: run)?.isClosed == true }
        }
        await pair.shutdown()
    }

    @Test func `what is assigned begins, whatever else of its operation goes on here`() async throws {
        let pair = try await pair(.ignore)
        await pair.first.shutdown()
        for run in ["r1", "r2"] {
            let opening = ChangeDraft(
                stream: .run(run), subject: "job", revision: 0, at: Timestamp(milliseconds: 1),
                state: .describing(TestState.initial), isTransition: true,
                opening: RunOpening(actor: "anna", input: [:]))
            _ = try await pair.cluster.journal.append([opening])
            pair.cluster.assign(run, to: try #require(pair.journals[1].worker), stopping: nil)
        }
        try await until {
            if pair.second.runs.countHere == 2 { return true }
            return await pair.cluster.journal.run("r2")?.endedAt != nil
        } otherwise: {
            pair.cluster.ring()
        }
        #expect(pair.second.runs.countHere == 2)
        await pair.second.shutdown()
    }
}
