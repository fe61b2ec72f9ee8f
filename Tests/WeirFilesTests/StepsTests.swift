import Foundation
import Testing
import WeirOperations

@testable import WeirFiles

/// Steps as files declare them, and what is wrong with them.
@Suite(.timeLimit(.minutes(15))) struct StepsTests {
    private static let back =
        "title: Back up\ninputs: [{name: base, options: [a, b], required: true}, {name: days, type: integer}]\ncommand: [echo, \"{{base}}\"]\nstates: {dumping: {match: 'file (?<file>.+)'}}\n"

    /// The mistakes of files, as `file:line:column: detail`.
    private func mistakes(_ files: [String: String], others: [String: [InputField]] = [:]) -> [String] {
        read(files, others).mistakes.map(\.description)
    }

    private func read(
        _ files: [String: String], _ others: [String: [InputField]] = [:]
    ) -> (definitions: [OperationDefinition], mistakes: [FileMistake]) {
        var definitions: [OperationDefinition] = []
        var mistakes: [FileMistake] = []
        for (id, text) in files.sorted(by: { $0.key < $1.key }) {
            let (definition, found) = DefinitionReader.read(text, id: id, file: "\(id).yml")
            mistakes += found
            if let definition { definitions.append(definition) }
        }
        let linked = StepsLinker.link(definitions, others: others, files: Set(files.keys))
        return (linked.definitions, (mistakes + linked.mistakes).sorted())
    }

    @Test func `a file declares runs of others, programs of its own and decisions`() throws {
        let whole = """
            title: Whole
            inputs: [{name: base, options: [a, b]}, {name: key, type: secret}]
            steps:
              - {name: dump, uses: back, with: {base: "{{base}}", days: 3}, retry: {limit: 2, interval: 5s}, interrupted: retry}
              - {name: go, approve: {prompt: "Copy {{steps.dump.file}}?", who: ["role:ops"], within: 2h, otherwise: approve}}
              - {name: copy, command: [cp, --, "{{file}}"], env: {KEY: "{{key}}"}, with: {file: "{{steps.dump.file}}"}}
              - {name: undo, shell: 'rm "$WEIR_INPUT_BASE"', when_failed: [copy]}
            """
        let (definitions, mistakes) = read(["back": Self.back, "whole": whole])
        #expect(mistakes == [])
        let plan = try #require(definitions.first { $0.id == "whole" }?.plan)
        #expect(plan.steps.map(\.operation) == ["back", nil, "whole-copy", "whole-undo"])
        #expect(
            plan.steps[0].work
                == .run(
                    operation: "back", input: ["base": StepValue([.input("base")]), "days": StepValue([.text("3")])]))
        #expect(plan.steps[0].retry == .init(limit: 2, interval: .seconds(5)))
        #expect(plan.steps[0].isRepeatable)
        #expect(plan.steps[1].approval?.who == ["role:ops"])
        #expect(plan.steps[1].approval?.approvesByItself == true)
        #expect(plan.steps[3].afterFailureOf == ["copy"])
        // A program of its own is given the inputs of the whole that it names, and no others.
        #expect(plan.steps[3].work == .run(operation: "whole-undo", input: ["base": StepValue([.input("base")])]))
        let parts = definitions.flatMap(\.parts)
        // Of the inputs of the whole, a program has those that it names.
        #expect(parts.map { $0.fields.map(\.name) } == [["key", "file"], ["base"]])
        #expect(parts[0].fields[0].isSecret)
    }

    @Test func `a step reads a file that another keeps, if that one keeps any`() {
        func whole(_ artifacts: String) -> String {
            """
            title: Whole
            steps:
              - {name: build, shell: make\(artifacts)}
              - {name: publish, command: [cat, "{{steps.build.artifacts.0}}"]}
              - {name: copy, shell: 'cp "$WEIR_INPUT_FILE" .', with: {file: "{{steps.build.artifacts.1}}"}}
            """
        }
        let (definitions, mistakes) = read(["whole": whole(", artifacts: [\"*.tar\"]")])
        #expect(mistakes == [])
        let copy = definitions.first?.plan?.steps.last
        let file = StepValue([.reported(step: "build", value: "artifacts.1")])
        #expect(copy?.work == .run(operation: "whole-copy", input: ["file": file]))
        let found = self.mistakes(["whole": whole("")])
        #expect(found.count == 2 && found.allSatisfy { $0.contains("The step “build” keeps no files.") })
    }

    @Test(arguments: ["command: [sh, -c, 'exit 1']", "shell: exit 1"])
    func `a step's limits count for the step alone, and not for its program again`(program: String) throws {
        let text = """
            title: Whole
            steps:
              - {name: one, \(program), title: First, env: {A: b}, retry: {limit: 2, interval: 1s}, timeout: 5s}
            """
        let (definitions, mistakes) = read(["whole": text])
        #expect(mistakes == [])
        let whole = try #require(definitions.first)
        let step = try #require(whole.plan?.steps.first)
        #expect(step.retry == .init(limit: 2, interval: .seconds(1)))
        #expect(step.timeout == .seconds(5))
        let part = try #require(whole.parts.first)
        #expect(part.retry == nil)
        #expect(part.timeout == nil)
        #expect(part.title.text == "First")
        #expect(part.environment.map(\.name) == ["A"])
    }

    @Test(arguments: [
        ("- {name: dump, uses: bakc}", "w.yml:2:25: There is no operation “bakc”. Did you mean `back`?"),
        (
            "- {name: dump, uses: back, with: {bas: a}}",
            "w.yml:2:15: The operation “back” needs the input `base`. Give it in `with`."
        ),
        (
            "- {name: dump, uses: back, with: {base: c}}",
            "w.yml:2:46: “c” does not fit. Choose “a” or “b”, not “c”."
        ),
        (
            "- {name: dump, uses: back, with: {base: a, dyas: 3}}",
            "w.yml:2:49: The operation “back” has no input `dyas`. Did you mean `days`?"
        ),
        (
            "- {name: dump, uses: back, with: {base: \"{{steps.dmp.file}}\"}}",
            "w.yml:2:46: There is no step “dmp” before this one. This is the first one."
        ),
        (
            "- {name: dump, uses: back, with: {base: a, days: \"{{when}}\"}}\ninputs: [{name: when}]",
            "w.yml:2:55: The input “when” is one line of text, and `days` takes a whole number. Change the type of one."
        ),
        ("- {name: dump, uses: w}", "w.yml:2:25: The operation would contain itself: w → w. Remove this step."),
        ("- {name: dump}", "w.yml:2:8: The step “dump” does nothing. Give it `uses`, `command`, `shell` or `approve`."),
        (
            "- {name: failed, command: [ls]}",
            "w.yml:2:15: “failed” is a state that every operation has. Choose another name for the step."
        ),
        (
            "- {name: a, command: [ls]}\n      - {name: b, command: [ls], when_failed: [aa]}",
            "w.yml:3:48: There is no step “aa” before this one. Did you mean “a”?"
        ),
        (
            "- {name: a, command: [ls]}\n      - {name: end, command: [ls], finally: true, needs: []}",
            "w.yml:3:57: The step “end” has `finally` and follows all others. Remove `needs`."
        ),
        (
            "- {name: a, command: [ls]}\n      - {name: end, command: [ls], finally: true, when_failed: []}",
            "w.yml:3:57: The step “end” has `finally` and follows all others. Remove `when_failed`."
        ),
        (
            "- {name: a, approve: {prompt: Go?, who: [ana]}}",
            "w.yml:2:47: “ana” is not a role, group or user: write role:NAME, group:NAME or user:NAME."
        ),
        (
            "- {name: a, uses: back, with: {base: a}}\n      - {name: b, command: [cat, \"{{f}}\"], with: {f: \"{{steps.a.fiel}}\"}}",
            "w.yml:3:56: The step “a” reports no value “fiel”. Did you mean {{steps.a.file}}?"
        ),
        (
            "- {name: a, command: [ls], for_each: regions}\ninputs: [{name: regions}]",
            "w.yml:2:44: “regions” is no list. Write one such as [a, b], an input such as {{regions}}, or what a step "
                + "printed, such as {{steps.regions.output}}."
        ),
        (
            "- {name: a, command: [ls], for_each: \"{{days}}\"}\ninputs: [{name: days, type: integer}]",
            "w.yml:2:44: The input “days” is a whole number, and no list. Give it the type `choices` or `multiline`."
        ),
        (
            "- {name: a, command: [ls, \"{{item.b}}\"], for_each: [{b: 1}, {c: 1}]}",
            "w.yml:2:68: This item has no “b”, which the step “a” uses. Give it one."
        ),
        (
            "- {name: a, command: [ls], repeat: {every: 1s, until: {command: [ls]}, limit: 3}}",
            "w.yml:2:62: `until` is about the run of the step, and runs no program. Let the step's program make the test, "
                + "and write {exit_code: 0}."
        ),
        (
            "- {name: a, command: [ls], if: {command: test -e x}}",
            "w.yml:2:48: `command` must be a list of a program and its arguments, such as [test, -e, ready]."
        ),
        (
            "- {name: a, command: [ls], if: {command: [ls]}}\n      - {name: a-if, command: [ls]}",
            "w.yml:2:15: The program of this step has the id “w-a-if”, as has that of the step “a-if” of w.yml. Rename one "
                + "step."
        ),
    ])
    func `a mistake is reported with its place and its remedy`(_ steps: String, _ mistake: String) {
        let found = mistakes([
            "back": Self.back,
            "w": "title: Whole\nsteps:\n      \(steps)\n".replacing("steps:\n      ", with: "steps:\n      "),
        ])
        let place = { (text: String) in text.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? "" }
        #expect(found.map(place).contains(place(mistake)), "\(found)")
    }

    @Test func `operations that contain each other are found, and whoever names them is left out too`() {
        let (definitions, mistakes) = read([
            "a": "title: A\nsteps: [{name: x, uses: b}]\n", "b": "title: B\nsteps: [{name: x, uses: a}]\n",
            "c": "title: C\nsteps: [{name: x, uses: b}]\n",
        ])
        #expect(definitions.isEmpty)
        #expect(
            mistakes.first?.description
                == "a.yml:1:0: ".replacing(
                    "1:0: ", with: "2:25: The operation would contain itself: a → b → a. Remove this step."))
        #expect(mistakes.contains { $0.file == "c.yml" })
    }

    @Test func `operations within each other are at most eight deep, however many paths lead through them`() {
        let steps = (0..<30).map { "{name: s\($0), uses: NEXT}" }.joined(separator: ", ")
        func files(_ count: Int) -> [String: String] {
            let names = (0..<count).map { String(UnicodeScalar(UInt8(ascii: "a") + UInt8($0))) }
            let inner = zip(names, names.dropFirst()).map { name, next in
                (name, "title: T\nsteps: [\(steps.replacing("NEXT", with: next))]\n")
            }
            return Dictionary(uniqueKeysWithValues: inner + [(names[count - 1], "title: T\ncommand: [ls]\n")])
        }
        #expect(read(files(8)).mistakes == [])
        let found = read(files(9)).mistakes
        #expect(found.count == 30 && found.allSatisfy { $0.file == "a.yml" })
        #expect(found.first?.detail == "More than 8 operations of steps lie within each other here.")
    }

    @Test func `steps of two files whose programs would have the same id are refused in both`() {
        let (definitions, mistakes) = read([
            "a": "title: A\nsteps: [{name: b-c, command: [ls]}]\n",
            "a-b": "title: B\nsteps: [{name: c, command: [ls]}]\n",
            "d": "title: D\ncommand: [ls]\n",
        ])
        #expect(definitions.map(\.id) == ["d"])
        #expect(
            mistakes.map(\.description) == [
                "a-b.yml:2:16: The program of this step has the id “a-b-c”, as has that of the step “b-c” of a.yml. Rename "
                    + "one step.",
                "a.yml:2:16: The program of this step has the id “a-b-c”, as has that of the step “c” of a-b.yml. Rename "
                    + "one step.",
            ])
    }

    @Test func `a secret goes to a secret only`() {
        let found = mistakes(
            [
                "w":
                    "title: W\ninputs: [{name: key, type: secret}]\nsteps: [{name: x, uses: greet, with: {label: \"{{key}}\"}}]\n"
            ],
            others: ["greet": [InputField("label", "Label", .text())]])
        #expect(found.count == 1)
        #expect(found.first?.contains("would be recorded as the input `label`") == true)
    }

    @Test func `the example of a release has no mistakes`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/operations")
        let read = try OperationFolder(folder)
        #expect(read.mistakes == [])
        #expect(read.definitions.first { $0.id == "release" }?.plan?.steps.count == 5)
    }
}
