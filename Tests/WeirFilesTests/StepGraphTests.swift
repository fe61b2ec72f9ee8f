import Foundation
import Testing
@testable import WeirBoards
import WeirFlows
import WeirOperations
import WeirStates
import WeirTesting

@testable import WeirFiles

/// Graphs that are declared in a file and in Swift.
@Suite struct StepGraphTests {
    /// An operation with text inputs of these names.
    struct Program: SimpleOperation {
        struct Input: OperationInput { static let fields: [InputField] = [] }

        let names: [String]
        var inputFields: [InputField] { names.map { InputField($0, $0, .multiline()) } }

        func run(_ input: Input, report: RunReporter) async throws -> String { "" }
    }

    struct Back: SimpleOperation {
        struct Input: FormInput {
            var base = "a"
            var days = 1
            static let fields = [InputField(\Self.base, "base", .choice(["a", "b"])), InputField(\Self.days, "days")]
        }

        struct Dump: OperationResult {
            var file: String
            static let sample = Dump(file: "a.dump")
        }

        func run(_ input: Input, report: RunReporter) async throws -> Dump { .sample }
    }

    struct Whole: FormInput {
        var base = ""
        var regions = ""
        static let fields = [
            InputField(\Self.base, "base", .choice(["a", "b"]), required: true),
            InputField(\Self.regions, "regions", .multiline()),
        ]
    }

    private static let file = """
        title: Whole
        at_once: 3
        when_a_step_fails: stop
        inputs: [{name: base, options: [a, b], required: true}, {name: regions, type: multiline}]
        steps:
          - {name: dump, uses: back, with: {base: "{{base}}", days: 3}, retry: {limit: 2, interval: 5s}, interrupted: retry}
          - name: go
            approve: {prompt: "Copy {{steps.dump.file}}?", who: ["role:ops"], within: 2h, otherwise: approve}
            needs: [dump]
          - name: copy
            command: [cp, --, "{{file}}"]
            with: {file: "{{steps.dump.file}}"}
            needs: [go]
            timeout: 10m
            if: {inputs.base: [a, b*], steps.dump.exit_code: {below: 1, not: {match: "^-"}}}
          - {name: each, command: [echo, "{{item}}"], for_each: "{{regions}}", at_once: 2, needs: [dump], allow_failure: true}
          - {name: fixed, command: [echo, "{{item.name}}", "{{index}}"], for_each: [{name: a}, {name: b}], needs: []}
          - {name: undo, command: [rm, "{{file}}"], with: {file: "{{steps.dump.file}}"}, when_failed: [copy], needs: [dump]}
          - {name: ready, command: ["true"], repeat: {every: 5s, until: {exit_code: 0}, limit: 3}, needs: [copy]}
          - {name: end, command: [echo, "{{outcome}}: {{failed_steps}}"], finally: true, if: {outcome: {not: succeeded}}}
        """

    @Test func `a file and code give the same plan and the same parts`() throws {
        let graph = StepGraph(Whole.self, atOnce: 3, stopsAfterFailure: true) { input in
            let dump = Step("dump", uses: "back", as: Back.self).with(\.base, input.base).with(\.days, 3)
                .retry(2, after: .seconds(5)).repeatsIfInterrupted()
            dump
            let go = Approval(
                "go", "Copy \(dump.result.file)?", who: ["role:ops"], within: .seconds(7_200), approvesByItself: true
            ).needs(dump)
            go
            let code = dump.reported("exit_code", as: Int.self)
            let copy = Step("copy", Program(names: ["file"])).with("file", dump.result.file).needs(go)
                .timeout(.seconds(600)).when(input.base, .isOneOf("a", "b*")).when(code, .isBelow(1))
                .when(code, .not(.matches("^-")))
            copy
            Step("each", Program(names: ["item"])).with("item", .item).forEach(input.regions, atOnce: 2).needs(dump)
                .allowsFailure()
            Step("fixed", Program(names: ["item.name", "index"])).with("item.name", .item("name"))
                .with("index", .index).forEach([["name": "a"], ["name": "b"]]).needs(names: [])
            Step("undo", Program(names: ["file"])).with("file", dump.result.file).whenFailed(copy).needs(dump)
            Step("ready", Program(names: [])).needs(copy)
                .repeats(every: .seconds(5), limit: 3, until: "exit_code", .isOneOf(0))
            Step("end", Program(names: ["outcome", "failed_steps"])).with("outcome", .outcome)
                .with("failed_steps", .failedSteps).finally().when(.outcome, .not(.isOneOf("succeeded")))
        }
        var catalog = Catalog()
        catalog.add(Back(), id: "back", title: "Back up", summary: "A test.")
        try catalog.add(graph, id: "whole", title: "Whole", summary: "A test.")

        let (definition, mistakes) = DefinitionReader.read(Self.file, id: "whole", file: "whole.yml")
        #expect(mistakes.map(\.description) == [])
        let declared = try #require(definition)
        let plan = try #require(declared.plan)
        let built = graph.plan(of: "whole")
        for (one, other) in zip(built.steps, plan.steps) { #expect(one == other) }
        #expect(built == plan)
        #expect(catalog["whole"]?.plan == plan)
        #expect(catalog["whole"]?.fields.map(\.name) == declared.fields.map(\.name))
        #expect(catalog.entries.filter { $0.partOf == "whole" }.map(\.id) == declared.parts.map(\.id))
        let samples = StepsOperation(plan, fields: declared.fields).stateSamples
        #expect(catalog["whole"]?.samples == (try samples.map { try StateRecord($0) }))
    }

    @Test func `escaped braces are text in the values, the questions and the items of steps`() throws {
        let text = """
            title: T
            inputs: [{name: v}]
            steps:
              - {name: a, command: [echo, "{{y}}", "{{{{steps.b.c}}"], with: {y: "{{{{.x}} {{v}}"}}
              - {name: b, approve: {prompt: "{{{{.x}} {{v}}?"}}
              - {name: c, command: [echo, "{{item}}", "{{{{ item.name }}"], for_each: ["{{{{.x}}", {k: "{{{{"}]}
            """
        let (definition, mistakes) = DefinitionReader.read(text, id: "t", file: "t.yml")
        #expect(mistakes.map(\.description) == [])
        let steps = try #require(definition?.plan?.steps)
        guard case .run(_, let input) = steps[0].work, case .approval(let approval) = steps[1].work else {
            Issue.record("\(steps)")
            return
        }
        #expect(input["y"]?.parts == [.text("{{.x}} "), .input("v")])
        #expect(approval.prompt.parts == [.text("{{.x}} "), .input("v"), .text("?")])
        #expect(steps[2].forEach?.list == .fixed(["{{.x}}", ["k": "{{"]]))
    }

    private static func repeating(until condition: String, _ more: String = "") -> String {
        "needs: [a], repeat: {every: 1s, limit: 3, until: \(condition)}\(more)"
    }

    private static let unmet: [(String, String?)] = [
        ("needs: [a, a]", "4:41: `needs` names the step “a” twice. Remove one."),
        (
            "needs: [a], if: {inputs.n: {above: 5, below: 3}}",
            "4:47: The step “b” can never run: no number is above 5 and below 3. Correct the condition."
        ),
        (
            repeating(until: "{exitCode: 0}"),
            """
            4:80: A run of the step has no value “exitCode”. Did you mean `exit_code`? If its program reports this value, \
            name it in the `show` of a state.
            """
        ),
        (
            repeating(until: "{exit_code: done}"),
            """
            4:80: No run of the step can meet this condition. An exit code is a whole number from 0 to 255. If its program \
            reports this value, name it in the `show` of a state.
            """
        ),
        (
            repeating(until: "{outcome: fail}"),
            """
            4:80: No run of the step can meet this condition. An outcome is succeeded, failed, cancelled or interrupted. If \
            its program reports this value, name it in the `show` of a state.
            """
        ),
        (repeating(until: "{exit_code: {not: {above: 2}}}"), nil), (repeating(until: "{outcome: green}"), nil),
        (repeating(until: "{exitCode: 0}", ", states: {s: {match: '(?<exitCode>\\d+)'}}"), nil),
        (repeating(until: "{outcome: failing}", ", env: {A: '::weir s outcome=failing::'}"), nil),
    ]

    @Test(arguments: unmet)
    func `a need that is named twice and a condition that nothing can meet are mistakes`(
        _ keys: String, _ mistake: String?
    ) {
        let text = """
            title: T
            inputs: [{name: n, type: integer}]
            steps: [{name: a, command: [make]},
              {name: b, command: [make], \(keys)}]
            """
        #expect(FileTrial.mistakes(text) == [mistake].compactMap { $0 })
    }

    @Test func `the program of a condition gets what an earlier step reported`() throws {
        let text = """
            title: T
            steps:
              - {name: a, command: [make], needs: []}
              - {name: b, command: [make], needs: [a], if: {command: [test, "{{steps.a.size}}", "=", "12"]}}
              - {name: c, command: [make], needs: [], if: {command: [test, "{{steps.a.size}}", "=", "12"]}}
            """
        let (definition, mistakes) = DefinitionReader.read(text, id: "t", file: "t.yml")
        let late = "5:64: The step “a” may not be over when this one begins. Name it in `needs`."
        #expect(mistakes.map(\.description) == ["t.yml:\(late)"])
        let value = StepValue([.reported(step: "a", value: "size")])
        #expect(definition == nil)
        let corrected = text.replacing("needs: [], if", with: "needs: [a], if")
        let plan = try #require(DefinitionReader.read(corrected, id: "t", file: "t.yml").0?.plan)
        #expect(plan.steps[1].condition?.command?.input == ["steps.a.size": value])
    }

    @Test func `the title of a step is recorded with its name`() throws {
        let (definition, _) = DefinitionReader.read(
            "title: T\nsteps: [{name: a, title: {en: Load all, es: Cargar todo}, command: [make]}, {name: b, command: [make]}]",
            id: "t", file: "t.yml")
        let plan = try #require(definition?.plan)
        #expect(StepsProgress(of: plan).steps.map(\.title) == ["Load all", nil])
    }

    @Test func `items of a list in the file keep their digits, and are numbers only as JSON writes them`() throws {
        let (definition, mistakes) = DefinitionReader.read(
            """
            title: List
            steps: [{name: a, command: [echo, "{{item}}"], for_each: [0123, +351, 1.10, 0x1F, 1e400, -7, true, on, "5"]}]
            """, id: "list", file: "list.yml")
        #expect(mistakes.map(\.description) == [])
        let items: [JSONValue] = [
            "0123", "+351", .number(try #require(JSONNumber("1.10"))), "0x1F", "1e400", -7, true, "on", "5",
        ]
        #expect(definition?.plan?.steps.first?.forEach?.list == .fixed(items))
    }

    @Test func `the default of a whole number is read as the form reads it`() throws {
        for (text, number) in [("1e3", 1_000), ("5.0", 5), ("+7", 7), ("007", 7)] as [(String, Int64)] {
            let (definition, mistakes) = DefinitionReader.read(
                "title: T\ncommand: [a]\ninputs: [{name: n, type: integer, default: \(text)}]", id: "t", file: "t.yml")
            #expect(mistakes.map(\.description) == [])
            #expect(definition?.fields.first?.defaultValue == .integer(number), "\(text)")
        }
    }

    @Test func `escaped braces are braces in every text for people, and others are refused there`() throws {
        let text = """
            title: {en: "Like {{{{.Names}}", es: "Como {{{{.Names}}"}
            description: "{{{{a}}"
            inputs: [{name: a, label: "{{{{b}}", help: "{{{{c}}"}]
            steps: [{name: one, title: "{{{{d}}", command: [echo, "{{a}}"], states: {made: {title: "{{{{e}}"}}}]
            """
        let (read, mistakes) = DefinitionReader.read(text, id: "texts", file: "texts.yml")
        #expect(mistakes.map(\.description) == [])
        let definition = try #require(read)
        #expect(definition.title.texts == ["en": "Like {{.Names}}", "es": "Como {{.Names}}"])
        #expect(definition.summary.text == "{{a}}")
        #expect(definition.fieldTexts["a"]?.label?.text == "{{b}}" && definition.fieldTexts["a"]?.help?.text == "{{c}}")
        #expect(definition.parts.first?.title.text == "{{d}}")
        #expect(definition.parts.first?.stateTitles["made"]?.text == "{{e}}")
        let other = DefinitionReader.read(text.replacing("{{{{", with: "{{"), id: "texts", file: "texts.yml").1
        #expect(other.filter { $0.detail.hasPrefix("A title, label or help text cannot hold fields.") }.count == 7)
    }

    @Test func `a condition is tested before there are items, and its program has the variables that hold none`() throws
    {
        func read(_ condition: String) -> (OperationDefinition?, [String]) {
            let (definition, mistakes) = DefinitionReader.read(
                """
                title: List
                inputs: [{name: base}]
                steps:
                  - name: each
                    command: [echo, "{{item}}"]
                    for_each: [a, b]
                    env: {ITEM: "{{item}}", BASE: "{{base}}", PLACE: "{{ index }}"}
                    if: \(condition)
                """, id: "list", file: "list.yml")
            return (definition, mistakes.map(\.description))
        }
        let (definition, mistakes) = read(#"{command: [test, -e, "{{base}}"]}"#)
        #expect(mistakes == [])
        let condition = try #require(definition?.parts.first { $0.id == "list-each-if" })
        #expect(condition.fields.map(\.name) == ["base"])
        for condition in [
            #"{command: [test, "{{item}}"]}"#, #"{command: [test, "{{ item.name }}"]}"#,
            #"{command: [test, "x{{index}}"]}"#, "{item: a}", "{item.name: a}", "{index: {above: 0}}",
        ] {
            let (_, mistakes) = read(condition)
            #expect(
                mistakes.count == 1 && mistakes[0].contains("before the step has its items"), "\(condition) \(mistakes)"
            )
        }
        #expect(read(#"{command: [test, "{{{{item}}"]}"#).1 == [])
    }

    @Test func `a graph of a file runs with its programs replaced`() async throws {
        let text = """
            title: Whole
            inputs: [{name: base, options: [a, b], required: true}]
            steps:
              - {name: dump, shell: exit 1, retry: {limit: 1, interval: 1h}, needs: []}
              - {name: each, command: [cp, "{{item}}"], for_each: "{{steps.dump.output}}", if: {command: ["false"]}, needs: [dump]}
              - {name: undo, command: [rm, "{{base}}"], when_failed: [each], needs: [dump]}
            """
        let definition = try #require(DefinitionReader.read(text, id: "whole", file: "whole.yml").0)
        var catalog = Catalog()
        catalog.add(
            StepsOperation(try #require(definition.plan), fields: definition.fields), id: "whole", title: "Whole",
            summary: "A test.", tags: [], reentry: .concurrent, timeout: nil, schedule: nil, partOf: nil)
        let environment = CommandEnvironment(folder: URL(filePath: "/"), environment: [:], helper: nil)
        for part in definition.parts {
            catalog.add(
                CommandOperation(part, in: environment), id: part.id, title: part.id, summary: "", tags: [],
                reentry: .concurrent, timeout: nil, schedule: nil, partOf: "whole")
        }
        let run = try await TestGraph(
            "whole", of: catalog, input: ["base": "a"],
            steps: [
                "dump": [.fails(exitCode: 3), .succeeds(["output": "x\ny"])],
                "each": [.depends { $0["item"] == "y" ? .fails() : .succeeds() }],
            ])
        try await run.advance(by: .seconds(3_600))
        #expect(try await run.states(of: "dump") == ["running", "retrying", "running", "succeeded"])
        #expect(try await run.inputs(of: "each-if").count == 1)
        #expect(try await run.states(of: "each") == ["running", "failed"])
        #expect(try await run.inputs(of: "undo") == [["base": "a"]])
        #expect(try await run.phase() == .failed)
    }
}
