import Flows
import Journals
import Operations
import States
import Testing

@testable import Boards

@Suite(.timeLimit(.minutes(1))) struct RecordingTests {
    // K1, G1
    @Test func `every state of a run is recorded in order, with revisions that have no gap`() async throws {
        let bench = try await Workbench.open(["quick": .quick])
        let receipt = try await bench.board.start("quick", input: ["label": "Ada"], actor: "tester")
        await bench.board.outcome(of: receipt.run)
        let changes = try await bench.journal.changes(of: .run(receipt.run), after: 0, through: nil, limit: 10)
        #expect(changes.map(\.state.caseName) == ["none", "working", "success"])
        #expect(changes.map(\.revision) == [0, 1, 2])
        #expect(changes.first?.sequence == receipt.sequence && receipt.isNew)
        #expect(changes.first?.draft.opening == RunOpening(actor: "tester", input: ["label": "Ada"]))
        #expect(changes.allSatisfy { $0.isTransition })
    }

    // K2
    @Test func `nothing is published before it is recorded`() async throws {
        let bench = try await Workbench.open(["quick": .quick])
        bench.journal.hold()
        let starting = Task { try await bench.board.start("quick", input: [:], actor: "tester") }
        await bench.journal.attempts(1)
        #expect(bench.board.feed.head(of: .board) == 0 && bench.board.view().recentRuns.isEmpty)
        bench.journal.release()
        let receipt = try await starting.value
        #expect(bench.board.feed.head(of: .board) >= receipt.sequence)
        #expect(try await bench.board.run(receipt.run).record.id == receipt.run)
    }

    // K5
    @Test func `a thousand changes that come at once take a handful of commits`() async throws {
        let bench = try await Workbench.open([
            "busy": TestOperation { _, state in
                for step in 0..<499 {
                    state.value = .working(step: step)
                    state.value = .resting(step: step)
                }
                state.value = .success(text: "")
            }
        ])
        bench.journal.hold()
        let starting = Task { try await bench.board.start("busy", input: [:], actor: "tester") }
        await bench.journal.attempts(1)
        _ = await bench.board.runs.all.first?.outcome()
        bench.journal.release()
        let receipt = try await starting.value
        await bench.board.outcome(of: receipt.run)
        #expect(bench.journal.appends.count <= 3)
        #expect(bench.journal.appends.flatMap { $0 }.count == 1_000)
    }

    // K6
    @Test func `transitions are all recorded, ticks once in a window, and the last one before a transition`()
        async throws
    {
        let gate = Gate()
        let bench = try await Workbench.open([
            "ticking": TestOperation { _, state in
                for step in 1...1_000 { state.value = .working(step: step) }
                try await gate.pass(1)
                for step in 1_001...1_500 { state.value = .working(step: step) }
                state.value = .resting(step: 0)
                state.value = .success(text: "")
            }
        ])
        let receipt = try await bench.board.start("ticking", input: [:], actor: "tester")
        let topic = Topic.run(receipt.run)
        func step(_ publication: Publication) -> Int64? { publication.change.state.payload["step"]?.integer }
        try await bench.published(topic) { $0.change.state.payload["step"]?.integer == 2 }
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .milliseconds(100))
        let held = try await bench.published(topic) { $0.change.state.payload["step"]?.integer == 1_000 }
        #expect(!held.change.isTransition)
        gate.open(1)
        await bench.board.outcome(of: receipt.run)
        let steps = try await bench.journal.changes(of: topic, after: 0, through: nil, limit: 100)
            .filter { $0.state.caseName == "working" }.compactMap { $0.state.payload["step"]?.integer }
        #expect(steps == [1, 2, 1_000, 1_500])
        #expect(try await bench.cases(of: topic).suffix(2) == ["resting", "success"])
    }

    // K7
    @Test func `a journal that cannot write is told, the run goes on, and all is recorded in order later`() async throws
    {
        let gate = Gate()
        let bench = try await Workbench.open([
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
        let receipt = try await bench.board.start("steady", input: [:], actor: "tester")
        bench.journal.error = JournalError(.full, "The disk is full.")
        gate.open(1)
        let failing = await bench.board.recordingStatus.first { $0 != .recording }
        guard case .notRecorded(_, "The disk is full.") = failing else {
            return #expect(Bool(false), "\(failing as Any)")
        }
        #expect(bench.board.feed.head(of: .board) == receipt.sequence)
        for attempt in 3...5 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .seconds(10))
            await bench.journal.attempts(attempt)
        }
        bench.journal.error = nil
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(10))
        gate.open(2)
        await bench.board.outcome(of: receipt.run)
        #expect(bench.board.recording == .recording)
        let expected = ["none"] + (1...50).flatMap { _ in ["working", "resting"] } + ["success"]
        #expect(try await bench.cases(of: .run(receipt.run)) == expected)
    }

    // K7
    @Test func `while nothing can be recorded starts are refused once too much waits`() async throws {
        let bench = try await Workbench.open(["quick": .quick]) {
            $0.retention = nil
            $0.recordBufferLimit = 30
        }
        bench.journal.error = JournalError(.full, "The disk is full.")
        for _ in 0..<10 {
            _ = try await bench.board.launcher.launch("quick", RunOpening(actor: "tester", input: [:])).run?.outcome()
        }
        await #expect {
            try await bench.board.start("quick", input: [:], actor: "tester")
        } throws: { error in
            (error as? BoardError)?.code == .unavailable
        }
        #expect(bench.board.recorder.backlog == 30)
    }

    // K7
    @Test func `a start that cannot be recorded in time says that the run goes on`() async throws {
        let bench = try await Workbench.open(["endless": .endless])
        bench.journal.error = JournalError(.readOnly, "The journal is read-only.")
        let starting = Task { try await bench.board.start("endless", input: [:], actor: "tester") }
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(5))
        await #expect {
            try await starting.value
        } throws: { error in
            (error as? BoardError)?.code == .unavailable && "\(error)".contains("was started")
        }
        #expect(bench.board.runs.count == 1)
    }

    // K7, K1
    @Test func `a journal that takes changes and denies it is not given them twice`() async throws {
        let bench = try await Workbench.open(["quick": .quick])
        bench.journal.failAfterAppending()
        let starting = Task { try await bench.board.start("quick", input: [:], actor: "tester") }
        await bench.journal.attempts(1)
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(1))
        let receipt = try await starting.value
        await bench.board.outcome(of: receipt.run)
        #expect(try await bench.cases() == ["none", "working", "success"])
        #expect(bench.board.feed.head(of: .board) == 3 && bench.board.recording == .recording)
    }

    // K1
    @Test func `many runs at once are each recorded in their own order`() async throws {
        let bench = try await Workbench.open([
            "busy": TestOperation { _, state in
                for step in 0..<40 {
                    state.value = .working(step: step)
                    if step % 7 == 0 { await Task.yield() }
                    state.value = .resting(step: step)
                }
                state.value = .success(text: "")
            }
        ])
        let board = bench.board
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<60 {
                group.addTask { try await board.start("busy", input: [:], actor: "tester").run }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for id in ids { await board.outcome(of: id) }
        let all = try await bench.journal.changes(of: .board, after: 0, through: nil, limit: 100_000)
        #expect(all.map(\.sequence) == (1...Int64(60 * 82)).map { $0 })
        for id in ids {
            let changes = all.filter { $0.stream == .run(id) }
            #expect(changes.map(\.revision) == (0..<82).map { Int64($0) })
            let steps = changes.compactMap { $0.state.payload["step"]?.integer }
            #expect(steps == (0..<40).flatMap { [Int64($0), Int64($0)] })
        }
    }
}
