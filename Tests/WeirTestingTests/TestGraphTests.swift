import Testing
import WeirBoards
import WeirOperations
import WeirStates
import WeirTesting

/// Graphs of steps in tests: programs that do what the test says, and time that it moves.
@Suite(.timeLimit(.minutes(15))) struct TestGraphTests {
    struct Release: FormInput {
        var version = ""
        static let fields = [InputField(\Self.version, "Version", required: true)]
    }

    struct Build: SimpleOperation {
        struct Input: FormInput {
            var version = ""
            static let fields = [InputField(\Self.version, "Version", required: true)]
        }

        struct Package: OperationResult {
            var file: String
            var regions: [String]
            static let sample = Package(file: "sample.tar", regions: ["eu"])
        }

        func run(_ input: Input, report: RunReporter) async throws -> Package {
            throw OperationFailure("The program of a step runs in a test. Replace it.")
        }
    }

    struct Send: SimpleOperation {
        struct Input: FormInput {
            var file = ""
            var region = ""
            static let fields = [InputField(\Self.file, "File"), InputField(\Self.region, "Region")]
        }

        func run(_ input: Input, report: RunReporter) async throws -> NoResult {
            throw OperationFailure("The program of a step runs in a test. Replace it.")
        }
    }

    private let graph = StepGraph(Release.self) { input in
        let build = Step("build", Build()).with(\.version, input.version).retry(2, after: .seconds(10)).needs(names: [])
        build
        let ask = Approval("ask", "Send \(build.result.file)?", within: .seconds(600)).needs(build)
        ask
        let send = Step("send", Send()).with(\.file, build.result.file).with(\.region, .item)
            .forEach(build.result.regions, atOnce: 1).needs(ask).timeout(.seconds(60))
        send
        Step("undo", Send()).with(\.file, build.result.file).whenFailed(send).needs(build)
        Step("end", Send()).with(\.file, .outcome).finally()
    }

    /// Starts a run with a limit that also suits a machine with much other work.
    private func start(_ steps: [String: [StepOutcome]] = [:]) async throws -> TestGraph {
        try await TestGraph(graph, input: ["version": "2.1"], steps: steps, limit: .seconds(300))
    }

    @Test func `steps do what the test says, in the order of the graph`() async throws {
        let package = Build.Package(file: "a.tar", regions: ["eu", "us"])
        let run = try await start(["build": [.fails("It broke."), .succeeds(with: package)]])
        #expect(try await run.states() == ["build running", "build retrying"])
        try await run.advance(by: .seconds(9))
        #expect(try await run.states(of: "build") == ["running", "retrying"])
        try await run.advance(by: .seconds(1))
        #expect(try await run.states(of: "build") == ["running", "retrying", "running", "succeeded"])
        #expect(try await run.states(of: "ask") == ["asking"])
        try await run.decide("ask", isApproved: true)
        #expect(
            try await run.inputs(of: "send") == [
                ["file": "a.tar", "region": "eu"], ["file": "a.tar", "region": "us"],
            ])
        #expect(try await run.states(of: "undo") == ["skipped"])
        #expect(try await run.inputs(of: "end").first?["file"] == "succeeded")
        #expect(try await run.phase() == .succeeded)
    }

    @Test func `a program that waits is ended by its timeout, or by the test`() async throws {
        let run = try await start(["send": [.waits]])
        try await run.decide("ask", isApproved: true)
        try await run.advance(by: .seconds(59))
        #expect(try await run.states(of: "send") == ["running"])
        try await run.advance(by: .seconds(1))
        #expect(try await run.states(of: "send") == ["running", "failed"])
        #expect(try await run.states(of: "undo") == ["running", "succeeded"])
        #expect(try await run.phase() == .failed)

        let other = try await start(["send": [.depends { $0["region"] == "eu" ? .waits : .fails() }]])
        try await other.decide("ask", isApproved: true)
        try await other.finish("send", .succeeds())
        #expect(try await other.phase() == .succeeded)
        await #expect(throws: TestRunError.self) { try await other.finish("send", .succeeds()) }
    }

    @Test func `a decision lapses, and a cancelled run still runs its last step`() async throws {
        let run = try await start()
        try await run.advance(by: .seconds(600))
        #expect(try await run.states(of: "ask") == ["asking", "failed"])
        #expect(try await run.message() != nil)

        let other = try await start(["build": [.waits]])
        try await other.cancel()
        #expect(try await other.states(of: "build") == ["running", "cancelled"])
        #expect(try await other.inputs(of: "end").first?["file"] == "cancelled")
        #expect(try await other.phase() == .cancelled)
    }

    @Test func `a test of a step that there is not, or of no steps, is refused`() async throws {
        await #expect(throws: TestRunError.self) {
            try await TestGraph(graph, input: ["version": "1"], steps: ["biuld": [.waits]])
        }
        await #expect(throws: TestRunError.self) { try await TestGraph("none", of: Catalog()) }
        await #expect(throws: BoardError.self) { try await TestGraph(graph) }
    }
}
