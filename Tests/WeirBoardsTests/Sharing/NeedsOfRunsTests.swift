import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// What a run needs is checked by the server that executes it, when the run begins.
@Suite(.timeLimit(.minutes(15))) struct NeedsOfRunsTests {
    struct Input: OperationInput {
        var password: String?
        var size: String?

        static var fields: [InputField] { fields(sizes: []) }

        static func fields(sizes: [String]) -> [InputField] {
            var password = InputField("password", "Password", .secret())
            password.kept = "site"
            return [password, InputField("size", "Size", .choice(sizes))]
        }
    }

    struct SignIn: StateOperation {
        let node: String
        let inputFields: [InputField]

        func perform(_ input: Input, state: MutableStateFlow<TestState>) async throws {
            state.value = .success(text: "\(node) with \(input.password ?? "nothing")")
        }
    }

    /// Two servers, each with its own secrets and its own values of the choice.
    private func pair(
        secrets: [String: String], sizes: [String: [String]] = [:],
        configuration: (inout Board.Configuration) -> Void = { _ in }
    ) async throws -> BoardPair {
        try await BoardPair(configuration: configuration) { catalog, node in
            catalog.keptSecret = { $0 == "site" ? secrets[node] : nil }
            catalog.add(
                SignIn(node: node, inputFields: Input.fields(sizes: sizes[node] ?? ["small"])), id: "sign-in",
                title: "Sign in", summary: "A test.")
        }
    }

    private func end(of run: String, _ pair: BoardPair) async throws -> RunRecord {
        try await pair.beats { try await pair.first.run(run).state.phase.isEnded }
        return try await pair.first.run(run)
    }

    @Test func `a run fails with a sentence at a server that lacks its secret, though the recording one has it`()
        async throws
    {
        let pair = try await pair(secrets: ["a": "hunter2hunter2"])
        let run = try await end(of: try await pair.second.start("sign-in", input: [:], actor: "anna").run, pair)
        #expect(run.state.phase == .failed)
        let told = try run.state.payload.text()
        #expect(told.contains("The server “server b” keeps no secret “site”. Set it there with weir secret set site"))
        await pair.shutdown()
    }

    @Test func `a start is not refused because a server lacks a secret that another one uses`() async throws {
        let pair = try await pair(secrets: ["b": "hunter2hunter2"])
        let run = try await end(of: try await pair.second.start("sign-in", input: [:], actor: "anna").run, pair)
        #expect(run.state.payload["text"] == "b with •••")
        let refused = await refusal { () throws(BoardError) in
            _ = try await pair.first.start("sign-in", input: [:], actor: "anna")
        }
        #expect(refused?.fields.first?.detail.contains("“server a” keeps no secret “site”") == true)
        await pair.shutdown()
        let recording = try await self.pair(secrets: ["a": "hunter2hunter2"]) { $0.carriesOutForOthers = false }
        let other = try await recording.second.start("sign-in", input: [:], actor: "anna").run
        #expect(try await end(of: other, recording).state.payload["text"] == "a with •••")
        await recording.shutdown()
    }

    @Test func `a choice is checked by the values of the server that executes the run`() async throws {
        let secrets = ["a": "hunter2hunter2", "b": "hunter2hunter2"]
        let pair = try await pair(secrets: secrets, sizes: ["a": ["small"], "b": ["large"]])
        let run = try await pair.second.start("sign-in", input: ["size": "large"], actor: "anna").run
        #expect(try await end(of: run, pair).state.phase == .succeeded)
        // The same input is not valid for the recording server, and that of its own run not for the other.
        let refused = await refusal { () throws(BoardError) in
            _ = try await pair.first.start("sign-in", input: ["size": "large"], actor: "anna")
        }
        #expect(refused?.fields.map(\.field) == ["size"])
        let small = try await pair.first.start("sign-in", input: ["size": "small"], actor: "anna").run
        _ = try await end(of: small, pair)
        let retry = try await end(of: try await pair.second.retry(small, actor: "anna").run, pair)
        #expect(retry.state.phase == .failed)
        #expect(try retry.state.payload.text().contains("size: Choose “large”"))
        await pair.shutdown()
    }
}
