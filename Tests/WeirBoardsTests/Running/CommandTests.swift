import Foundation
import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct CommandTests {
    func code(_ body: () async throws -> Void) async -> BoardError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? BoardError)?.code
        }
    }

    @Test func `the same key, operation and input give the same run, at once and later`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick, "other": .quick])
        let board = fixture.board
        fixture.journal.holdLookups()
        let receipts = try await withThrowingTaskGroup(of: StartReceipt.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await board.start("quick", input: ["label": "a"], actor: "tester", idempotencyKey: "k")
                }
            }
            _ = await fixture.journal.lookups.first { $0 >= 1 }
            // The others have every chance to ask as well, which all but the first must not.
            for _ in 0..<1_000 { await Task.yield() }
            #expect(fixture.journal.lookups.value == 1)
            fixture.journal.releaseLookups()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(receipts.map(\.run)).count == 1 && receipts.count { $0.isNew } == 1)
        #expect(Set(receipts.map(\.sequence)).count == 1)
        await board.outcome(of: receipts[0].run)
        let later = try await board.start("quick", input: ["label": "a"], actor: "tester", idempotencyKey: "k")
        #expect(later.run == receipts[0].run && !later.isNew)
        let reused = await code {
            _ = try await board.start("quick", input: ["label": "b"], actor: "tester", idempotencyKey: "k")
        }
        #expect(reused == .keyReused)
    }

    @Test func `an ended run is released, whether it returned or was cancelled`() async throws {
        let gate = Gate()
        let gated = TestOperation { _, state in
            state.value = .working(step: 1)
            try await gate.pass()
            state.value = .success(text: "")
        }
        let board = try await BoardFixture.open(["endless": .endless, "gated": gated]).board
        for operation in ["endless", "gated"] {
            let run = try await board.start(operation, input: [:], actor: "tester").run
            weak let live = board.runs[run]
            #expect(live != nil)
            if operation == "gated" { gate.open() } else { _ = try await board.cancel(run, actor: "tester") }
            await board.outcome(of: run)
            try await until { live == nil }
        }
    }

    @Test func `a key belongs to its actor and its operation, also after a restart`() async throws {
        let operations = ["quick": TestOperation.quick, "other": .quick]
        let fixture = try await BoardFixture.open(operations)
        func start(_ fixture: BoardFixture, _ operation: String, _ actor: String) async throws -> String {
            let receipt = try await fixture.board.start(
                operation, input: ["label": "a"], actor: actor, idempotencyKey: "k")
            return receipt.run
        }
        let asked = [("quick", "anna"), ("quick", "ben"), ("other", "anna"), ("other", "ben")]
        var runs: [String] = []
        for (operation, actor) in asked { runs.append(try await start(fixture, operation, actor)) }
        #expect(Set(runs).count == 4)
        for run in runs { await fixture.board.outcome(of: run) }
        let again = try await BoardFixture.open(operations, on: fixture.journal)
        for (place, (operation, actor)) in asked.enumerated() {
            #expect(try await start(fixture, operation, actor) == runs[place])
            #expect(try await start(again, operation, actor) == runs[place])
        }
        for (run, (_, actor)) in zip(runs, asked) {
            #expect(try await again.board.run(run).opening.actor == actor)
        }
    }

    @Test func `a key of a run that goes on belongs to its actor and its operation`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless, "other": .endless])
        var runs: [String] = []
        for (operation, actor) in [("endless", "anna"), ("endless", "ben"), ("other", "anna"), ("endless", "anna")] {
            runs.append(
                try await fixture.board.start(operation, input: [:], actor: actor, idempotencyKey: "k").run)
        }
        #expect(Set(runs.prefix(3)).count == 3 && runs[3] == runs[0])
    }

    @Test func `a retry with a key is one run, and the key is no other start's`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick])
        let first = try await fixture.board.start("quick", input: ["label": "Ada"], actor: "anna")
        await fixture.board.outcome(of: first.run)
        let retry = try await fixture.board.retry(first.run, actor: "anna", idempotencyKey: "k")
        let again = try await fixture.board.retry(first.run, actor: "anna", idempotencyKey: "k")
        #expect(again == StartReceipt(run: retry.run, sequence: retry.sequence, isNew: false))
        let start = await code {
            _ = try await fixture.board.start("quick", input: ["label": "Ada"], actor: "anna", idempotencyKey: "k")
        }
        #expect(start == .keyReused)
        let other = try await fixture.board.retry(first.run, actor: "ben", idempotencyKey: "k")
        #expect(other.run != retry.run)
    }

    @Test func `whoever repeats the request that joined a run gets that run, also when it has ended`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless], reentry: .joinExisting)
        let first = try await fixture.board.start("endless", input: [:], actor: "anna")
        func join(_ label: String? = nil) async throws -> StartReceipt {
            try await fixture.board.start(
                "endless", input: label.map { ["label": .string($0)] } ?? [:], actor: "ben", idempotencyKey: "k")
        }
        #expect(try await join().run == first.run)
        _ = try await fixture.board.cancel(first.run, actor: "anna")
        #expect(try await join() == StartReceipt(run: first.run, sequence: first.sequence, isNew: false))
        #expect(await code { _ = try await join("other") } == .keyReused)
        let idempotency = IdempotencyRegistry()
        for number in 0...IdempotencyRegistry.memory {
            idempotency.remember(
                .init(run: "r\(number)", opening: RunOpening(actor: "a", input: [:])),
                under: .run(operation: "o", actor: "a", key: "\(number)"))
        }
        #expect(idempotency.joined(under: .run(operation: "o", actor: "a", key: "0")) == nil)
        #expect(idempotency.joined(under: .run(operation: "o", actor: "a", key: "1"))?.run == "r1")
    }

    @Test func `keys in use are bounded, and forgotten when what they were for is over`() async throws {
        let idempotency = IdempotencyRegistry(limit: 2)
        let gate = Gate()
        func scope(_ key: String) -> IdempotencyRegistry.Scope { .run(operation: "o", actor: "a", key: key) }
        let going = (1...2).map { number in
            Task {
                try await idempotency.withLock(with: scope("k\(number)")) { () async throws(BoardError) -> Int in
                    do { try await gate.pass() } catch { return 0 }
                    return number
                }
            }
        }
        try await until { idempotency.count == 2 }
        let refused = await code {
            try await idempotency.withLock(with: scope("k3")) { () async throws(BoardError) in }
        }
        #expect(refused == .overloaded)
        gate.open()
        for (place, task) in going.enumerated() { #expect(try await task.value == place + 1) }
        #expect(idempotency.count == 0)
        try await idempotency.withLock(with: scope("k3")) { () async throws(BoardError) in }
    }

    // G2
    @Test func `cancelling is recorded with who asked, and refused once the run has ended`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless])
        let started = try await fixture.board.start("endless", input: [:], actor: "tester")
        try await fixture.published { $0.change.state.caseName == "working" }
        let receipt = try await fixture.board.cancel(started.run, actor: "operator")
        let last = try await fixture.board.run(started.run)
        #expect(last.state.phase == .cancelled && last.sequence == receipt.sequence)
        #expect(last.cause == "cancelled by operator" && last.state.payload == ["at": "working 1"])
        let again = await code { _ = try await fixture.board.cancel(started.run, actor: "operator") }
        let unknown = await code { _ = try await fixture.board.cancel("nobody", actor: "operator") }
        #expect(again == .alreadyEnded && unknown == .unknownRun)
    }

    @Test func `a retry has the same input unless another is given, and names the run it tries again`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick, "endless": .endless])
        let first = try await fixture.board.start("quick", input: ["label": "Ada"], actor: "tester")
        await fixture.board.outcome(of: first.run)
        let second = try await fixture.board.retry(first.run, actor: "other")
        let opening = try await fixture.board.run(second.run).opening
        #expect(opening == RunOpening(actor: "other", input: ["label": "Ada"], retryOf: first.run, attempt: 2))
        await fixture.board.outcome(of: second.run)
        let again = try await fixture.board.retry(second.run, actor: "other")
        #expect(try await fixture.board.run(again.run).opening.attempt == 3)
        let third = try await fixture.board.retry(first.run, input: ["label": "Eve"], actor: "other")
        #expect(try await fixture.board.run(third.run).opening.input == ["label": "Eve"])
        let going = try await fixture.board.start("endless", input: [:], actor: "tester")
        #expect(await code { _ = try await fixture.board.retry(going.run, actor: "other") } == .stillRunning)
        #expect(await code { _ = try await fixture.board.retry("nobody", actor: "other") } == .unknownRun)
    }

    @Test func `an input that does not fit is refused with each field's mistake`() async throws {
        let fixture = try await BoardFixture.open(["quick": .quick])
        await #expect {
            try await fixture.board.start("quick", input: ["label": 7, "x": 1], actor: "tester")
        } throws: { error in
            let error = error as? BoardError
            return error?.code == .invalidInput && error?.fields.map(\.field) == ["label", "x"]
        }
        #expect(await code { _ = try await fixture.board.start("none", input: [:], actor: "a") } == .unknownOperation)
        #expect(fixture.journal.appends.isEmpty)
    }

    @Test func `no more runs go than may, and a busy operation says so`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless]) {
            $0.retention = nil
            $0.maximumActiveRuns = 2
        }
        for _ in 0..<2 { _ = try await fixture.board.start("endless", input: [:], actor: "tester") }
        #expect(await code { _ = try await fixture.board.start("endless", input: [:], actor: "a") } == .overloaded)
        let busy = try await BoardFixture.open(["endless": .endless], reentry: .ignore)
        _ = try await busy.board.start("endless", input: [:], actor: "tester")
        #expect(await code { _ = try await busy.board.start("endless", input: [:], actor: "a") } == .busy)
        let joined = try await BoardFixture.open(["endless": .endless], reentry: .joinExisting)
        let first = try await joined.board.start("endless", input: [:], actor: "tester")
        let second = try await joined.board.start("endless", input: [:], actor: "other")
        #expect(second == StartReceipt(run: first.run, sequence: first.sequence, isNew: false))
    }

    /// Two pieces, the second of which comes when the test lets it.
    final class SlowContent: FileContent {
        let gate = Gate()
        private let given = Locked(0)
        func next() async throws -> Data? {
            let count = given.withLock { given in
                given += 1
                return given
            }
            if count == 2 { try await gate.pass() }
            return count > 2 ? nil : Data(repeating: 1, count: 10)
        }
    }

    struct UploadInput: OperationInput {
        let file: FileInput
        static var fields: [InputField] { [InputField("file", "File", .file, required: true)] }
    }

    struct Upload: StateOperation {
        func perform(_ input: UploadInput, state: MutableStateFlow<TestState>) async throws {
            var length = 0
            guard let content = input.file.content else {
                state.value = .success(text: "kept as \(input.file.id)")
                return
            }
            while let piece = try await content.next() { length += piece.count }
            state.value = .success(text: "\(length) bytes")
        }
    }

    @Test func `a start with a file is answered while its bytes still come, and a retry has none`() async throws {
        var catalog = Catalog()
        catalog.add(Upload(), id: "upload", title: "Upload", summary: "A test.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal(), clock: VirtualClock())
        let content = SlowContent()
        let input: JSONValue = ["file": ["id": "f1", "filename": "a.txt"]]
        let receipt = try await board.start("upload", input: input, content: content, actor: "tester")
        #expect(try await board.run(receipt.run).endedAt == nil)
        content.gate.open()
        await board.outcome(of: receipt.run)
        #expect(try await board.run(receipt.run).state.payload == ["text": "20 bytes"])
        let again = try await board.retry(receipt.run, actor: "tester")
        await board.outcome(of: again.run)
        #expect(try await board.run(again.run).state.payload == ["text": "kept as f1"])
        await board.shutdown()
    }

    @Test func `shutting down ends and records everything, and refuses starts`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless])
        for _ in 0..<20 { _ = try await fixture.board.start("endless", input: [:], actor: "tester") }
        await fixture.board.shutdown()
        let runs = try await fixture.journal.runs(RunQuery()).runs
        #expect(runs.count == 20 && runs.allSatisfy { $0.state.phase == .interrupted })
        #expect(runs.allSatisfy { $0.cause == "the server was stopped" })
        #expect(await code { _ = try await fixture.board.start("endless", input: [:], actor: "a") } == .shuttingDown)
    }

    @Test func `shutting down does not wait for ever for work that will not stop, nor for a journal`() async throws {
        let gate = Gate()
        let fixture = try await BoardFixture.open([
            "deaf": TestOperation { _, state in
                state.value = .working(step: 1)
                await Task { _ = await MutableStateFlow(0).first { $0 == 1 } }.value
                gate.open()
            }
        ])
        _ = try await fixture.board.start("deaf", input: [:], actor: "tester")
        fixture.journal.error = JournalError(.full, "The disk is full.")
        let ended = Deferred<Bool>()
        Task {
            await fixture.board.shutdown()
            ended.resolve(true)
        }
        await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .milliseconds(1_500))
        #expect(await ended.value(within: .seconds(120), clock: ContinuousClock()) == true, "it waits for ever")
    }
}
