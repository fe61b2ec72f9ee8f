import Foundation
import Testing
import Weir

/// Graphs of steps, as another package declares them.
@Suite(.timeLimit(.minutes(15)))
struct StepGraphTests {
    struct Release: FormInput {
        var version = ""
        var region: String?
        var isDry = false
        static let fields = [
            InputField(\Self.version, "Version", required: true), InputField(\Self.region, "Region"),
            InputField(\Self.isDry, "Dry run"),
        ]
    }

    struct Build: SimpleOperation {
        struct Input: FormInput {
            var version = ""
            var level = 1
            var ratio = 0.5
            var isFast = false
            static let fields = [
                InputField(\Self.version, "Version", required: true), InputField(\Self.level, "Level", .integer(1...9)),
                InputField(\Self.ratio, "Ratio"), InputField(\Self.isFast, "Fast"),
            ]
        }

        struct Package: OperationResult {
            var file: String
            var regions: [String]
            var note: String?
            static let sample = Package(file: "a.tar", regions: ["eu"], note: "An example.")
        }

        func run(_ input: Input, report: RunReporter) async throws -> Package {
            if input.version == "broken" { throw OperationFailure("It does not compile. Correct it.") }
            return Package(
                file: "\(input.version)-\(input.level)-\(input.ratio)-\(input.isFast).tar", regions: ["eu", "us"])
        }
    }

    struct Say: SimpleOperation {
        struct Input: FormInput {
            var text = ""
            static let fields = [InputField(\Self.text, "Text", .text(), required: true)]
        }

        func run(_ input: Input, report: RunReporter) async throws -> String {
            await report.print(input.text)
            return input.text.uppercased()
        }
    }

    struct Look: SimpleOperation {
        struct Answer: OperationResult {
            var isFree: Bool
            static let sample = Answer(isFree: true)
        }

        func run(_ input: NoInput, report: RunReporter) async throws -> Answer { Answer(isFree: false) }
    }

    private func catalog() -> Catalog {
        var catalog = Catalog()
        catalog.add(Say(), id: "say", title: "Say", summary: "Prints a text.")
        return catalog
    }

    private func start(
        _ catalog: Catalog, _ input: JSONValue, then act: (Board, String) async throws -> Void = { _, _ in }
    ) async throws -> (phase: Phase, steps: [String: JSONValue], said: [String]) {
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        let run = try await board.start("release", input: input, actor: "ana").run
        try await act(board, run)
        await board.outcome(of: run)
        let record = try await board.run(run)
        let steps = try #require(record.state.payload["steps"]).decode([JSONValue].self)
        var said: [String] = []
        for step in steps {
            guard let id = try step["run"]?.decode(String.self) else { continue }
            if let text = try await board.run(id).state.payload["result"]?.decode(String.self) { said.append(text) }
        }
        await board.shutdown()
        let named = try steps.map { (try $0["name"]?.decode(String.self) ?? "", $0) }
        return (record.state.phase, Dictionary(named) { first, _ in first }, said)
    }

    @Test func `steps take constants, inputs, and typed results of other steps`() async throws {
        let graph = StepGraph(Release.self, atOnce: 2) { input in
            let build = Step("build", Build(), title: "Build it").with(\.version, input.version).with(\.level, 3)
                .with(\.ratio, 0.25).with(\.isFast, true).retry(1, after: .zero).timeout(.seconds(600))
                .repeatsIfInterrupted()
            build
            let say = Step("say", uses: "say", as: Say.self).with(\.text, "\(build.result.file) of \(input.version)")
                .needs(build).when(input.isDry, .isOneOf(false))
            say
            Step("shout", uses: "say").with("text", "\(say.result), \(say.reported("output"))!").needs(say)
                .when(say.reported("exit_code", as: Int.self), .isBelow(1)).when(say.result, .not(.matches("^B")))
            Step("never", uses: "say").with("text", StepArgument("x")).needs(say)
                .when(say.reported("exit_code", as: Int.self), .isAbove(0))
            Step("each", Say()).with(\.text, "\(.index): \(.item)").forEach(build.result.regions, atOnce: 1).needs(
                build)
            Step("members", Say()).with(\.text, .item("name")).forEach([["name": "a"], ["name": "b"]]).needs(names: [])
            Step("ready", Say()).with(\.text, "ready").needs(names: [])
                .repeats(every: .zero, limit: 2, until: "result", .isOneOf("READY"))
            Step("end", Say()).with(\.text, "\(.outcome), \(.failedSteps).").finally().when(.outcome, .isOneOf("succ*"))
        }
        var catalog = catalog()
        try catalog.add(graph, id: "release", title: "Release", summary: "A test.", tags: ["release"])
        let (phase, steps, said) = try await start(catalog, ["version": "2.1"])
        #expect(phase == .succeeded)
        #expect(
            Set(said) == [
                "2.1-3-0.25-TRUE.TAR OF 2.1", "2.1-3-0.25-TRUE.TAR OF 2.1, 2.1-3-0.25-TRUE.TAR OF 2.1!", "READY",
                "SUCCEEDED, .",
            ])
        #expect(steps["never"]?["status"] == "skipped")
        #expect(steps["each"]?["items"]?["marks"] == "ss")
        #expect(steps["members"]?["items"]?["marks"] == "ss")
    }

    @Test func `a step decides by its result whether another one runs`() async throws {
        let graph = StepGraph(Release.self) { _ in
            let look = Step("look", Look())
            look
            Step("if-free", Say()).with(\.text, "free").needs(look).when(look.result.isFree, .isOneOf(true))
            Step("if-not", Say()).with(\.text, "taken").needs(look).when(look.result.isFree, .isOneOf(false))
        }
        var catalog = catalog()
        try catalog.add(graph, id: "release", title: "Release", summary: "A test.")
        let (phase, steps, said) = try await start(catalog, ["version": "1"])
        #expect(phase == .succeeded)
        #expect(steps["if-free"]?["status"] == "skipped" && said == ["TAKEN"])
    }

    @Test func `an approval, and steps that follow a failure`() async throws {
        let graph = StepGraph(
            Release.self, stopsAfterFailure: true,
            steps: [
                Approval("ask", "Is it fine?", who: ["user:ana"], within: .seconds(3_600), approvesByItself: false),
                Step("build", Build()).with(\.version, "broken").allowsFailure(),
                Step("again", Build()).with(\.version, "broken"),
            ])
        let whole = StepGraph(Release.self) { _ in
            for step in [Step("one", Build()).with(\.version, "broken")] {
                step
                if Bool(true) { Step("undo", Say()).with(\.text, "undone").whenFailed(step) } else { step }
            }
        }
        var catalog = catalog()
        try catalog.add(graph, id: "checked", title: "Checked", summary: "A test.")
        try catalog.add(whole, id: "release", title: "Release", summary: "A test.")
        let (phase, steps, said) = try await start(catalog, ["version": "1"])
        #expect(phase == .failed)
        #expect(steps["undo"]?["status"] == "succeeded" && said == ["UNDONE"])
    }

    @Test func `mistakes are told when a graph is added, with the names of the steps`() throws {
        let graph = StepGraph(Release.self) { input in
            let build = Step("build", Build()).needs(names: ["pack"])
            build
            Step("pack", uses: "sya").with("text", .item).needs(build)
            Step("say", uses: "say").with("txt", input.region).needs(names: ["bild"])
            Step("late", Say()).with(\.text, build.reported("fiel")).needs(build).whenFailed(build)
            Step("dry", Say()).with(\.text, .outcome).needs(names: []).when(input.version, .isOneOf("x"))
                .when(input.isDry, .isOneOf(true)).when(input.isDry, .isOneOf(false))
            Step("last", Say()).with(\.text, "x").finally().needs(names: [])
        }
        var catalog = catalog()
        let error = #expect(throws: StepGraphMistakes.self) {
            try catalog.add(graph, id: "release", title: "Release", summary: "A test.")
        }
        let mistakes = error?.mistakes ?? []
        for expected in [
            "These steps wait for each other: build → pack → build.",
            "The step “pack”: There is no operation “sya”. Did you mean “say”?",
            "The step “pack”: “item” and “index” have a value only in a step with `forEach`.",
            "The step “say”: There is no step “bild”. Did you mean “build”?",
            "The operation “say” has no input `txt`. Did you mean “text”?",
            "The operation “say” needs the input `text`.",
            "The operation “release-build” needs the input `version`.",
            "The step “last” has `finally` and follows all others. Remove `needs`.",
            "The step “late” can never run: it needs “build” to succeed, and to fail.",
            "The step “build” reports no value “fiel”. Did you mean “file”?",
            "“outcome” and “failedSteps” have a value only in a step with `finally`.",
            "The step “dry” can never run: inputs.isDry is one of true, false when it could begin.",
        ] {
            #expect(mistakes.contains { $0.contains(expected) }, "\(expected) of \(mistakes)")
        }
        #expect(error?.description.hasPrefix("The steps of the operation “release” have mistakes:\n- ") == true)
        let none = StepGraph {}
        #expect(throws: StepGraphMistakes.self) { try catalog.add(none, id: "none", title: "None", summary: "None.") }
    }

    @StepGraphBuilder private func checks(_ input: StepInputs<Release>) -> [any GraphStep] {
        Step("one", Say()).with(\.text, input.version)
        let isReal: StepTest<Bool> = .isOneOf(false)
        Step("two", Say()).with(\.text, "fine").when(input.isDry, isReal)
    }

    @Test func `a graph is made of functions and values`() async throws {
        var text = StepText(literalCapacity: 8, interpolationCount: 1)
        text.appendLiteral("Are ")
        text.appendInterpolation(2)
        text.appendLiteral(" fine?")
        var ask = Approval(
            "ask", StepArgument(stringInterpolation: text), within: .milliseconds(1), approvesByItself: true)
        let declaration: StepDeclaration = ask.declaration
        ask.declaration = declaration
        let graph = StepGraph(Release.self) { input in
            for step in checks(input) { step }
            ask
        }
        var catalog = catalog()
        try catalog.add(graph, id: "release", title: "Release", summary: "A test.")
        let (phase, steps, said) = try await start(catalog, ["version": "2.1"])
        #expect(phase == .succeeded && Set(said) == ["2.1", "FINE"])
        #expect(steps["ask"]?["prompt"] == "Are 2 fine?")
    }

    /// Graphs with one mistake each.
    private static let mistaken: [(StepGraph<Release>, String)] = [
        (StepGraph(steps: [Step("failed", Say()).with(\.text, "x")]), "“failed” is a state that every operation has."),
        (
            StepGraph(steps: [Step("No", Say()).with(\.text, "x")]),
            "a name begins with a letter and has at most 30 of a-z"
        ),
        (
            StepGraph(steps: [Step("a", uses: "say", as: Build.self).with(\.version, "x")]),
            "The operation “say” is no Build."
        ),
        (StepGraph(steps: [Step("a", Build()).with(\.version, "x").with(\.level, 10)]), "“10” does not fit `level`."),
        (
            StepGraph(steps: [Step("a", Build()).with("level", StepArgument<Int>.item)]),
            "“item” and “index” have a value only"
        ),
        (
            StepGraph(steps: [Step("a", Say()).with(\.text, "x").retry(0)]),
            "The limit of `retry` is 0; it must be at least 1."
        ),
        (
            StepGraph(steps: [Step("a", Say()).with(\.text, .item).forEach([])]),
            "The step “a” can never run: its list is empty."
        ),
        (StepGraph(steps: [Approval("a", "Fine?", who: ["ana"])]), "“ana” is not a role, group or user"),
        (StepGraph(steps: [Approval("a", "Fine?", approvesByItself: true)]), "`approvesByItself` needs `within`"),
        (StepGraph(atOnce: 0, steps: [Approval("a", "Fine?")]), "`atOnce` is 0; it must be 1 to 100."),
        (
            StepGraph(steps: [Step("a", uses: "say").with("text", Step("a", Say()).result)]),
            "The step “a” refers to itself."
        ),
    ]

    @Test(arguments: Self.mistaken.indices) func `a mistake is a sentence with a name`(_ index: Int) {
        let (graph, expected) = Self.mistaken[index]
        var catalog = catalog()
        let error = #expect(throws: StepGraphMistakes.self) {
            try catalog.add(graph, id: "release", title: "Release", summary: "A test.")
        }
        #expect(error?.mistakes.contains { $0.contains(expected) } == true, "\(error?.mistakes ?? [])")
    }
}
