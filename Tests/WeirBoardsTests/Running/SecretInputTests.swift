import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Inputs that nobody has any more once a run is over, or the server was stopped.
@Suite(.timeLimit(.minutes(15))) struct SecretInputTests {
    struct GivenInput: OperationInput {
        var password: String?

        static var fields: [InputField] { [InputField("password", "Password", .secret())] }
    }

    struct KeptInput: OperationInput {
        var password: String?

        static var fields: [InputField] {
            var field = InputField("password", "Password", .secret())
            field.kept = "site"
            return [field]
        }
    }

    struct SignIn<Input: OperationInput>: StateOperation {
        func perform(_ input: Input, state: MutableStateFlow<TestState>) async throws {
            state.value = .success(text: "in")
        }
    }

    @Test func `a retry asks again for a secret, unless the server has it`() async throws {
        var catalog = Catalog()
        catalog.keptSecret = { $0 == "site" ? "p" : nil }
        catalog.add(SignIn<GivenInput>(), id: "given", title: "Given", summary: "A test.")
        catalog.add(SignIn<KeptInput>(), id: "kept", title: "Kept", summary: "A test.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal(), clock: VirtualClock())
        func run(_ operation: String, _ input: JSONValue) async throws -> String {
            let run = try await board.start(operation, input: input, actor: "anna").run
            await board.outcome(of: run)
            return run
        }
        let given = try await run("given", ["password": "p"])
        let error = await #expect(throws: BoardError.self) { try await board.retry(given, actor: "anna") }
        #expect(error?.code == .invalidInput && error?.fields.map(\.field) == ["password"])
        _ = try await board.retry(given, input: ["password": "p"], actor: "anna")
        let kept = try await run("kept", [:])
        let retry = try await board.retry(kept, actor: "anna")
        #expect(try await board.run(retry.run).opening.retryOf == kept)
        await board.shutdown()
    }

    @Test func `after a restart a step does without an input that nobody gave, and not without a secret`()
        async throws
    {
        let host = StepsHost(run: "r", opening: RunOpening(actor: "anna", input: [:]), isResumed: true) { nil }
        let values = StepValues(
            input: ["name": "Ada"],
            fields: [
                InputField("name", "Name", .text()), InputField("note", "Note", .text()),
                InputField("token", "Token", .secret()),
            ], host: host)
        let moment = StepMoment(progress: StepsProgress())
        let filled = try await values.input(
            ["a": StepValue([.input("name")]), "b": StepValue([.input("note")])], at: moment)
        #expect(filled == ["a": "Ada"])
        let refusal = await #expect(throws: StepRefusal.self) {
            try await values.input(["c": StepValue([.input("token")])], at: moment)
        }
        #expect(refusal?.detail.contains("token") == true)
    }
}
