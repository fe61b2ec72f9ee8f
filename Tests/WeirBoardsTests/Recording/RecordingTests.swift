import Logging
import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct RecordingTests {
    // K1, G1
    @Test func `every state of a run is recorded in order, with revisions that have no gap`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick])
        let receipt = try await fixture.board.start("quick", input: ["label": "Ada"], actor: "tester")
        await fixture.board.outcome(of: receipt.run)
        let changes = try await fixture.journal.changes(of: .run(receipt.run), after: 0, through: nil, limit: 10)
        #expect(changes.map(\.state.caseName) == ["none", "working", "success"])
        #expect(changes.map(\.revision) == [0, 1, 2])
        #expect(changes.first?.sequence == receipt.sequence && receipt.isNew)
        #expect(changes.first?.draft.opening == RunOpening(actor: "tester", input: ["label": "Ada"]))
        #expect(changes.allSatisfy { $0.isTransition })
    }

    // K2
    @Test func `nothing is published before it is recorded`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick])
        fixture.journal.hold()
        let starting = Task { try await fixture.board.start("quick", input: [:], actor: "tester") }
        await fixture.journal.attempts(1)
        #expect(fixture.board.feed.head(of: .board) == 0 && fixture.board.view().recentRuns.isEmpty)
        fixture.journal.release()
        let receipt = try await starting.value
        let sequence = try #require(receipt.sequence)
        #expect(fixture.board.feed.head(of: .board) >= sequence)
        #expect(try await fixture.board.run(receipt.run).id == receipt.run)
    }

    // K5
    @Test func `a thousand changes that come at once take a handful of commits`() async throws {
        let fixture = try await BoardFixture.open([
            "busy": TestOperation { _, state in
                for step in 0..<499 {
                    state.value = .working(step: step)
                    state.value = .resting(step: step)
                }
                state.value = .success(text: "")
            }
        ])
        fixture.journal.hold()
        let starting = Task { try await fixture.board.start("busy", input: [:], actor: "tester") }
        await fixture.journal.attempts(1)
        _ = await fixture.board.runs.all.first?.outcome()
        fixture.journal.release()
        let receipt = try await starting.value
        await fixture.board.outcome(of: receipt.run)
        #expect(fixture.journal.appends.count <= 3)
        #expect(fixture.journal.appends.flatMap { $0 }.count == 1_000)
    }

    // K6
    @Test func `transitions are all recorded, ticks once in a window, and the last one before a transition`()
        async throws
    {
        let gate = Gate()
        let counted = Deferred<Bool>()
        let fixture = try await BoardFixture.open([
            "ticking": TestOperation { _, state in
                for step in 1...1_000 { state.value = .working(step: step) }
                counted.resolve(true)
                try await gate.pass(1)
                for step in 1_001...1_500 { state.value = .working(step: step) }
                state.value = .resting(step: 0)
                state.value = .success(text: "")
            }
        ])
        let receipt = try await fixture.board.start("ticking", input: [:], actor: "tester")
        let topic = Topic.run(receipt.run)
        func step(_ publication: Publication) -> Int64? { publication.change.state.payload["step"]?.integer }
        try await fixture.published(topic) { $0.change.state.payload["step"]?.integer == 2 }
        // The window must not open while there is still more to come.
        _ = await counted.value()
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .milliseconds(100))
        let held = try await fixture.published(topic) { $0.change.state.payload["step"]?.integer == 1_000 }
        #expect(!held.change.isTransition)
        gate.open(1)
        await fixture.board.outcome(of: receipt.run)
        let steps = try await fixture.journal.changes(of: topic, after: 0, through: nil, limit: 100)
            .filter { $0.state.caseName == "working" }.compactMap { $0.state.payload["step"]?.integer }
        #expect(steps == [1, 2, 1_000, 1_500])
        #expect(try await fixture.cases(of: topic).suffix(2) == ["resting", "success"])
    }

    // K7
    @Test func `a journal that cannot write is told, the run goes on, and all is recorded in order later`() async throws
    {
        let gate = Gate()
        let fixture = try await BoardFixture.open([
            "steady": TestOperation { _, state in
                try await gate.pass(1)
                for step in 1...50 {
                    state.value = .working(step: step)
                    state.value = .resting(step: step)
                }
                try await gate.pass(2)
                state.value = .success(text: "")
            }
        ])
        let receipt = try await fixture.board.start("steady", input: [:], actor: "tester")
        fixture.journal.error = JournalError(.full, "The disk is full.")
        gate.open(1)
        let failing = await fixture.board.recordingStatus.first { $0 != .recording }
        guard case .notRecorded(_, "The disk is full.") = failing else {
            return #expect(Bool(false), "\(failing as Any)")
        }
        #expect(fixture.board.feed.head(of: .board) == receipt.sequence)
        for attempt in 3...5 {
            await fixture.clock.sleepers(1)
            fixture.clock.advance(by: .seconds(10))
            await fixture.journal.attempts(attempt)
        }
        await fixture.clock.sleepers(1)
        fixture.journal.error = nil
        fixture.clock.advance(by: .seconds(10))
        gate.open(2)
        await fixture.board.outcome(of: receipt.run)
        #expect(fixture.board.recording == .recording)
        let expected = ["none"] + (1...50).flatMap { _ in ["working", "resting"] } + ["success"]
        #expect(try await fixture.cases(of: .run(receipt.run)) == expected)
    }

    // K7
    @Test func `while nothing can be recorded starts are refused once too much waits`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick]) {
            $0.retention = nil
            $0.recordBufferLimit = 30
        }
        fixture.journal.error = JournalError(.full, "The disk is full.")
        for _ in 0..<10 {
            _ = try await fixture.board.launcher.launch("quick", RunOpening(actor: "tester", input: [:])).run?.outcome()
        }
        await #expect {
            try await fixture.board.start("quick", input: [:], actor: "tester")
        } throws: { error in
            (error as? BoardError)?.code == .unavailable
        }
        #expect(fixture.board.recorder.backlog == 30)
    }

    // K7
    @Test(arguments: [19, 20])
    func `what runs is cancelled once more than twice as much waits as may wait, and not before`(
        steps: Int
    ) async throws {
        let gate = Gate()
        let fixture = try await BoardFixture.open([
            "busy": TestOperation { _, state in
                for step in 1...steps { state.value = step % 2 == 0 ? .resting(step: step) : .working(step: step) }
                try await gate.pass()
                state.value = .success(text: "")
            }
        ]) {
            $0.retention = nil
            $0.recordBufferLimit = 10
        }
        fixture.journal.error = JournalError(.full, "The disk is full.")
        let run = try fixture.board.launcher.launch("busy", RunOpening(actor: "tester", input: [:])).run
        // With the opening.
        try await until { fixture.board.recorder.backlog > steps }
        if steps == 19 { gate.open() }
        switch await run?.outcome() {
        case .succeeded: #expect(steps == 19)
        case .cancelled(let cause): #expect(steps == 20 && cause == .unrecorded)
        case .failed, nil: #expect(Bool(false))
        }
    }

    @Test func `a start at a server that another one has replaced is answered as unknown, and not as accepted`()
        async throws
    {
        let fixture = try await BoardFixture.open(["endless": .endless])
        fixture.journal.error = JournalError(.locked, "Another server records.", isFenced: true)
        let starting = Task { try await fixture.board.start("endless", input: [:], actor: "tester") }
        await fixture.clock.sleepers(3)
        fixture.clock.advance(by: Board.patience)
        let error = await #expect(throws: BoardError.self) { try await starting.value }
        #expect(error?.code == .outcomeUnknown)
    }

    // K7
    @Test(arguments: [JournalError.Code.readOnly, .full, .locked])
    func `a start that cannot be recorded in time is a run all the same, and one`(code: JournalError.Code) async throws
    {
        let fixture = try await BoardFixture.open(["endless": .endless])
        fixture.journal.error = JournalError(code, "The journal takes nothing.")
        let starting = Task {
            try await fixture.board.start("endless", input: [:], actor: "tester", idempotencyKey: "k")
        }
        // The wait for the record, the wait once it is known that nothing is recorded, and the journal's next attempt.
        await fixture.clock.sleepers(3)
        fixture.clock.advance(by: Board.patience)
        let receipt = try await starting.value
        #expect(receipt.sequence == nil && receipt.isNew)
        await #expect {
            try await fixture.board.run(receipt.run)
        } throws: { ($0 as? BoardError)?.code == .notRecorded }
        #expect(fixture.board.runs.count == 1)
        await fixture.clock.sleepers(1)
        fixture.journal.error = nil
        fixture.clock.advance(by: .seconds(1))
        let again = try await fixture.board.start("endless", input: [:], actor: "tester", idempotencyKey: "k")
        #expect(again == StartReceipt(run: receipt.run, sequence: 1, isNew: false))
        #expect(try await fixture.journal.runs(RunQuery()).runs.map(\.id) == [receipt.run])
    }

    // K7
    @Test func `a run that is recorded and not published yet is found`() async throws {
        let fixture = try await BoardFixture.open()
        let id = String(repeating: "0", count: 26)
        _ = try await fixture.journal.append([
            ChangeDraft(
                stream: .run(id), subject: "quick", revision: 0, at: Timestamp(milliseconds: 1_000),
                state: StateRecord(caseName: "idle", phase: .active), isTransition: true, cause: nil,
                opening: RunOpening(actor: "tester", input: [:]))
        ])
        #expect(try await fixture.board.run(id).id == id)
    }

    // K7
    @Test func `a start that was lost with its process is begun once by whoever repeats it`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless])
        fixture.journal.error = JournalError(.full, "The disk is full.")
        let starting = Task {
            try await fixture.board.start("endless", input: [:], actor: "tester", idempotencyKey: "k")
        }
        await fixture.clock.sleepers(3)
        fixture.clock.advance(by: Board.patience)
        let lost = try await starting.value
        fixture.board.recorder.stop()
        let after = try await BoardFixture.open(["endless": .endless], on: JournalDouble(fixture.journal.inner))
        var found: Set<String> = []
        for _ in 0..<3 {
            found.insert(
                try await after.board.start("endless", input: [:], actor: "tester", idempotencyKey: "k").run)
        }
        #expect(found.count == 1 && !found.contains(lost.run))
        #expect(try await after.journal.runs(RunQuery()).runs.map(\.id) == Array(found))
    }

    // K7, K1
    @Test func `a journal that takes changes and denies it is not given them twice`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick])
        fixture.journal.failAfterAppending()
        let starting = Task { try await fixture.board.start("quick", input: [:], actor: "tester") }
        // Both waits of the start, and the journal's next attempt.
        await fixture.clock.sleepers(3)
        fixture.clock.advance(by: .seconds(1))
        let receipt = try await starting.value
        await fixture.board.outcome(of: receipt.run)
        #expect(try await fixture.cases() == ["none", "working", "success"])
        #expect(fixture.board.feed.head(of: .board) == 3 && fixture.board.recording == .recording)
    }

    // K1
    @Test func `many runs at once are each recorded in their own order`() async throws {
        let fixture = try await BoardFixture.open([
            "busy": TestOperation { _, state in
                for step in 0..<40 {
                    state.value = .working(step: step)
                    if step % 7 == 0 { await Task.yield() }
                    state.value = .resting(step: step)
                }
                state.value = .success(text: "")
            }
        ])
        let board = fixture.board
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<60 {
                group.addTask { try await board.start("busy", input: [:], actor: "tester").run }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for id in ids { await board.outcome(of: id) }
        let all = try await fixture.journal.changes(of: .board, after: 0, through: nil, limit: 100_000)
        #expect(all.map(\.sequence) == (1...60 * 82).map { SequenceNumber(clamping: $0) })
        for id in ids {
            let changes = all.filter { $0.stream == .run(id) }
            #expect(changes.map(\.revision) == (0..<82).map { Int64($0) })
            let steps = changes.compactMap { $0.state.payload["step"]?.integer }
            #expect(steps == (0..<40).flatMap { [Int64($0), Int64($0)] })
        }
    }

    // K7
    @Test func `a journal that fails again and again is asked less and less often`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless])
        fixture.journal.error = JournalError(.full, "The disk is full.")
        _ = try fixture.board.launcher.launch("endless", RunOpening(actor: "tester", input: [:]))
        for (failures, pause) in [100, 200, 400].enumerated() {
            await fixture.journal.attempts(failures + 1)
            await fixture.clock.sleepers(1)
            fixture.clock.advance(by: .milliseconds(pause - 1))
            #expect(fixture.clock.sleepers.value == 1, "it is asked again before \(pause) ms are over")
            fixture.clock.advance(by: .milliseconds(1))
        }
        await fixture.journal.attempts(4)
        fixture.board.recorder.stop()
    }

    @Test func `a board that stops in time does not warn of runs that had not ended`() async throws {
        let log = CapturedLog()
        let fixture = try await BoardFixture.open(["endless": .endless], logger: log.logger)
        _ = try await fixture.board.start("endless", input: [:], actor: "tester")
        await fixture.board.shutdown()
        #expect(log.messages(at: .warning) == [])
    }
}
