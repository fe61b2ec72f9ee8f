import Testing
import TestSupport
import WeirFlows
@testable import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Starts at a server that follows another, with what is not handed over: files and secrets.
@Suite(.timeLimit(.minutes(15))) struct HandedPartsTests {
    struct SignInInput: OperationInput {
        let name: String
        let password: String

        static var fields: [InputField] {
            [InputField("name", "Name", .text()), InputField("password", "Password", .secret(), required: true)]
        }
    }

    final class Seen: Sendable {
        private let lines = Locked<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Says on which server it works, and with which secret; the state is recorded without.
    struct SignIn: StateOperation {
        let node: String
        let gate: Gate
        let seen: Seen

        func perform(_ input: SignInInput, state: MutableStateFlow<TestState>) async throws {
            seen.add("\(node) \(input.name) \(input.password)")
            state.value = .working(step: 1)
            try await gate.pass()
            state.value = .success(text: "\(input.name) with \(input.password)")
        }
    }

    private let seen = Seen()
    private let gate = Gate()

    private func pair(
        _ reentry: ReentryPolicy = .concurrent, hears: Bool = true,
        configuration: (inout Board.Configuration) -> Void = { _ in }
    ) async throws -> BoardPair {
        try await BoardPair(hears: hears, configuration: configuration) { catalog, node in
            catalog.add(
                SignIn(node: node, gate: gate, seen: seen), id: "sign-in", title: "Sign in", summary: "A test.",
                reentry: reentry)
            catalog.add(CommandTests.Upload(), id: "upload", title: "Upload", summary: "A test.")
        }
    }

    private func signIn(_ board: Board, _ name: String, key: String? = nil) async throws(BoardError) -> StartReceipt {
        try await board.start(
            "sign-in", input: ["name": .string(name), "password": "hunter2hunter2"], actor: "anna", idempotencyKey: key)
    }

    private func isEnded(_ run: String, _ pair: BoardPair) async throws -> Bool {
        try await pair.first.run(run).state.phase.isEnded
    }

    /// Claims the start that the second server hands over, as the first one would, and answers nothing; its run and its words.
    private func claim(_ pair: BoardPair) async throws -> (run: String, text: String) {
        let claimant = pair.cluster.commands.server("a")
        var claimed: [HandedCommand] = []
        try await until {
            claimed = try await claimant.claimCommands(of: ["b"], limit: 1)
            return !claimed.isEmpty
        }
        let text = try #require(claimed.first?.text)
        let command = try JSONValue(parsing: text).decode(BoardCommand.self)
        guard case .startThere(let run, _, _, _, _, _) = command else {
            throw JournalError(.unavailable, "It is another command: \(text)")
        }
        return (run, text)
    }

    /// Opens a run and assigns it to the second server, as the one that records does.
    private func open(_ run: String, _ pair: BoardPair) async throws {
        let opening = ChangeDraft(
            stream: .run(run), subject: "sign-in", revision: 0, at: Timestamp(milliseconds: 1),
            state: .describing(TestState.initial), isTransition: true,
            opening: RunOpening(actor: "anna", input: ["name": "x"]))
        _ = try await pair.cluster.journal.append([opening])
        pair.cluster.assign(run, to: try #require(pair.journals[1].worker), stopping: nil)
    }

    @Test func `a secret that is given to a server which follows another is used there, and recorded nowhere`()
        async throws
    {
        let pair = try await pair()
        gate.open()
        let run = try await signIn(pair.second, "x").run
        try await pair.beats { try await isEnded(run, pair) }
        #expect(seen.all == ["b x hunter2hunter2"])
        let record = try await pair.first.run(run)
        #expect(record.opening.input == ["name": "x"])
        #expect(record.state.payload["text"] == "x with •••")
        let again = try await pair.second.retry(
            run, input: ["name": "y", "password": "hunter3hunter3"], actor: "anna")
        try await pair.beats { try await isEnded(again.run, pair) }
        #expect(try await pair.first.run(again.run).opening.retryOf == run)
        #expect(seen.all.last == "b y hunter3hunter3")
        let mistaken = await refusal { () throws(BoardError) in
            _ = try await pair.second.start("sign-in", input: ["name": "x"], actor: "anna")
        }
        #expect(mistaken?.fields.map(\.field) == ["password"])
        try await until { pair.second.worker?.parts.runs == [] }
        await pair.shutdown()
    }

    @Test func `the same key leads to the same run, and what came with the second start is let go of`() async throws {
        let pair = try await pair()
        let first = try await signIn(pair.second, "x", key: "key")
        let second = try await signIn(pair.second, "x", key: "key")
        #expect((second.run, second.isNew) == (first.run, false))
        // The first run may not have begun with its own.
        #expect(pair.second.worker?.parts.runs.filter { $0 != first.run } == [])
        gate.open()
        try await pair.beats { try await isEnded(first.run, pair) }
        try await until { pair.second.worker?.parts.runs == [] }
        #expect(seen.all == ["b x hunter2hunter2"])
        await pair.shutdown()
    }

    @Test func `a file is read by the server that it is sent to, while it comes`() async throws {
        let pair = try await pair()
        let content = CommandTests.SlowContent()
        let receipt = try await pair.second.start(
            "upload", input: ["file": ["id": "f1", "filename": "a.txt"]], content: content, actor: "anna")
        #expect(receipt.isNew && receipt.sequence != nil)
        let isOver = Locked(false)
        let ending = Task {
            await pair.second.outcome(of: receipt.run)
            isOver.withLock { $0 = true }
        }
        try await pair.beats { pair.second.runs.countHere == 1 }
        #expect(!isOver.withLock { $0 })
        content.gate.open()
        try await pair.beats { try await isEnded(receipt.run, pair) }
        #expect(try await pair.first.run(receipt.run).state.payload["text"] == "20 bytes")
        await ending.value
        await pair.shutdown()
    }

    @Test func `one that waits for its turn keeps what it came with, until it begins or is cancelled`() async throws {
        let pair = try await pair(.queue)
        let runs = [
            try await signIn(pair.second, "1").run, try await signIn(pair.second, "2").run,
            try await signIn(pair.second, "3").run,
        ]
        try await pair.beats { Set(pair.second.worker?.parts.runs ?? []) == Set(runs.dropFirst()) }
        let ending = Task { await pair.second.outcome(of: runs[2]) }
        _ = try await pair.first.cancel(runs[2], actor: "vera")
        try await pair.beats { pair.second.worker?.parts.runs == [runs[1]] }
        await ending.value
        gate.open()
        try await pair.beats { try await isEnded(runs[1], pair) }
        #expect(seen.all == ["b 1 hunter2hunter2", "b 2 hunter2hunter2"])
        await pair.shutdown()
    }

    @Test func `where the server carries nothing out for the other, it says so, and nothing is started`() async throws {
        let pair = try await pair { $0.carriesOutForOthers = false }
        let error = await refusal { () throws(BoardError) in _ = try await signIn(pair.second, "x") }
        #expect(error?.code == .unavailable && error?.description.contains("Send this to that server") == true)
        #expect(try await pair.actors() == [])
        await pair.shutdown()
    }

    @Test func `a start of which nobody knows what came of it is not made without what belongs to it`() async throws {
        let pair = try await pair(hears: false)
        await pair.first.shutdown()
        let answer = Deferred<BoardError?>()
        Task { answer.resolve(await refusal { () throws(BoardError) in _ = try await signIn(pair.second, "x") }) }
        let (run, text) = try await claim(pair)
        #expect(!text.contains("hunter2hunter2"))
        await pair.cluster.takeOver("c")
        pair.cluster.ring()
        #expect(try #require(await answer.value() ?? nil).code == .outcomeUnknown)
        // The server that took it has opened the run, late.
        try await open(run, pair)
        try await until {
            await pair.cluster.journal.run(run)?.endedAt != nil
        } otherwise: {
            pair.cluster.ring()
        }
        #expect(await pair.cluster.journal.run(run)?.cause?.contains("lost") == true)
        #expect(seen.all == [])
        await pair.second.shutdown()
    }

    @Test func `a start that has begun here is made, though no answer to it comes`() async throws {
        let pair = try await pair(hears: false)
        await pair.first.shutdown()
        let answer = Deferred<StartReceipt?>()
        Task { answer.resolve(try? await signIn(pair.second, "x")) }
        let run = try await claim(pair).run
        try await open(run, pair)
        try await until {
            pair.second.runs.countHere > 0
        } otherwise: {
            pair.cluster.ring()
        }
        await pair.cluster.takeOver("c")
        pair.cluster.ring()
        let receipt = try #require(await answer.value() ?? nil)
        #expect((receipt.run, receipt.isNew) == (run, true))
        await pair.second.shutdown()
    }
}
