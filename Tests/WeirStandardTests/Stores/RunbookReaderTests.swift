import Foundation
import Testing
import WeirJournals
@testable import WeirStandard
import WeirStates

@Suite struct RunbookReaderTests {
    private func read(_ text: String) throws -> RunbookState {
        try RunbookState(markdown: text, file: "release.md", title: "release")
    }

    @Test func `headings are sections, boxes are steps, and text between is notes`() throws {
        let runbook = try read(
            """
            # Release

            Say that it begins.

            ## Before
            - [ ] Tests are green
            - [x] Tag it

            And then:

            ## After
            * [ ] Tell *everybody*
            1. [X] Rest
            """)
        #expect(runbook.title == "Release")
        #expect(runbook.sections.map(\.heading) == [nil, "Before", nil, "After"])
        #expect(runbook.sections.map { $0.notes.map(\.markdown) } == [["Say that it begins."], [], ["And then:"], []])
        #expect(runbook.steps.map(\.text) == ["Tests are green", "Tag it", "Tell everybody", "Rest"])
        #expect(runbook.steps.map(\.id) == ["tests-are-green", "tag-it", "tell-everybody", "rest"])
        #expect(runbook.steps.map { $0.mark != nil } == [false, true, false, true])
    }

    @Test func `steps of the same words have names of their own, counted from the second`() throws {
        let runbook = try read("- [ ] Wait\n- [ ] Wait\n- [ ] wait!\n- [ ] Wait 2\n")
        #expect(runbook.steps.map(\.id) == ["wait", "wait-2", "wait-3", "wait-2-2"])
    }

    @Test func `steps within steps are deeper, also under a plain item, whether indented by spaces or tabs`() throws {
        let runbook = try read(
            "- [ ] one\n\t- [ ] two\n\t\t- [x] three\n- plain\n  - [ ] four\n\n1. [ ] five\n   - [ ] six\n")
        #expect(runbook.steps.map(\.text) == ["one", "two", "three", "four", "five", "six"])
        #expect(runbook.steps.map(\.depth) == [0, 1, 2, 0, 0, 1])
        #expect(runbook.sections.map { $0.notes.map(\.markdown) } == [[], ["plain"]])
    }

    @Test func `a box in code, in a quotation or in the middle of a line is no step`() throws {
        let runbook = try read(
            "- [ ] real\n\n  ```sh\n  - [ ] in a fence\n  ```\n\nText\n\n    - [ ] indented\n\n> - [ ] quoted\n\nsee - [ ] here\n"
        )
        #expect(runbook.steps.map(\.text) == ["real"])
        #expect(runbook.steps[0].notes.map(\.markdown) == ["```sh\n- [ ] in a fence\n```"])
        #expect(runbook.steps[0].notes.map(\.isCode) == [true])
    }

    @Test func `the address of a link is kept where it stands, so that no link of a note goes dead`() throws {
        let runbook = try read(
            "See [x][1].\n\n[1]: http://x.org\n\n- [ ] a\n\n[2]: http://y.org\n\nSee [y][2].\n")
        #expect(
            runbook.sections.map { $0.notes.map(\.markdown) } == [
                ["See [x][1].", "[1]: http://x.org"], ["[2]: http://y.org", "See [y][2]."],
            ])
    }

    @Test func `lines may end as on any system, and a byte order mark and front matter are passed over`() throws {
        for ending in ["\n", "\r\n", "\r"] {
            let text = "\u{FEFF}---\ntitle: x\n---\n# T\n\n- [ ] a\n  b\n- [x] c\n".replacing("\n", with: ending)
            let runbook = try read(text)
            #expect(runbook.title == "T")
            #expect(runbook.steps.map(\.text) == ["a b", "c"])
        }
    }

    @Test func `text keeps what is code, stress and a link that is safe to follow`() throws {
        let runbook = try read(
            "- [ ] Run `make`, **then** [look](https://x.org) not [here](javascript:go) https://y.org\n")
        #expect(
            runbook.steps[0].spans == [
                RunbookSpan("Run "), RunbookSpan("make", code: true), RunbookSpan(", "),
                RunbookSpan("then", strong: true), RunbookSpan(" "), RunbookSpan("look", link: "https://x.org"),
                RunbookSpan(" not here "), RunbookSpan("https://y.org", link: "https://y.org"),
            ])
    }

    @Test func `steps of a numbered list have their numbers, crossed-out text is marked, and a table keeps its lines`()
        throws
    {
        let text =
            "3. [ ] ~~old~~ new\n   1. [ ] below\n5. [x] last\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] plain\n"
        let runbook = try read(text)
        #expect(runbook.steps.map(\.number) == [3, 1, 4, nil])
        #expect(runbook.steps[0].spans == [RunbookSpan("old", struck: true), RunbookSpan(" new")])
        #expect(
            runbook.sections.flatMap(\.notes) == [
                RunbookNote(
                    markdown: "| a | b |\n|---|---|\n| 1 | 2 |",
                    spans: [RunbookSpan("| a | b |\n|---|---|\n| 1 | 2 |", code: true)], isCode: true)
            ])
        let again = try read(runbook.markdown)
        #expect(again.steps.map(\.number) == [3, 1, 4, nil] && again.steps.map(\.depth) == [0, 1, 0, 0])
        #expect(
            again.steps.map(\.markdown) == runbook.steps.map(\.markdown)
                && again.sections.flatMap(\.notes) == runbook.sections.flatMap(\.notes))
    }

    @Test func `HTML is named in a remark, comments are not`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = folder.appending(path: "deploy.md")
        try Data("<!-- hidden -->\n\n- [ ] a <!-- b -->\n\n<details>\n\nText\n\n- [ ] <b>bold</b>\n".utf8).write(
            to: file)
        let remarks = try RunbookState.read(contentsOf: file).remarks.map(\.description)
        #expect(remarks == [5, 9].map { "deploy.md:\($0): HTML is shown as it is written; use Markdown instead" })
    }

    @Test func `a step is one line, and its box is the first one in it`() throws {
        let runbook = try read("- [ ] write\t[x]  into\\\n  the `box`\n- [X]\tthen\n  [ ] go on\n")
        #expect(runbook.steps.map(\.markdown) == ["write [x] into the `box`", "then [ ] go on"])
        #expect(runbook.steps.map(\.text) == ["write [x] into the box", "then [ ] go on"])
        #expect(runbook.steps.map(\.isTickedInFile) == [false, true])
    }

    @Test func `steps of one text have names of their own, and so have those without a letter of ASCII`() throws {
        let runbook = try read("- [ ] Same\n- [ ] same!\n- [ ] 確認\n- [ ] 終了\n")
        #expect(runbook.steps.map(\.id) == ["same", "same-2", "step", "step-2"])
    }

    @Test(arguments: [
        (
            "# Only words\n\n- a list\n",
            "release.md: has no steps; write each step as an item of a task list: - [ ] what to do"
        ),
        ("", "release.md: has no steps; write each step as an item of a task list: - [ ] what to do"),
        ("# T\n\n- [ ] a\n- [ ] \n  - b\n", "release.md:4: this box has no text; write the step after it"),
    ])
    func `a file that can be no runbook is told in a sentence with what to do`(text: String, sentence: String) {
        let error = #expect(throws: RunbookFileError.self) { try read(text) }
        #expect(error?.description == sentence)
    }

    @Test func `a file of more than 200 steps is refused`() {
        let text = String(repeating: "- [ ] a\n", count: 201)
        let error = #expect(throws: RunbookFileError.self) { try read(text) }
        #expect(error?.detail == "has more than the limit of 200 steps; split it into several runbooks")
    }

    @Test func `a file that is missing, too large or no text is told likewise`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = folder.appending(path: "deploy.md")
        func sentence() -> String? {
            #expect(throws: RunbookFileError.self) { try RunbookState(contentsOf: file) }?.description
        }
        #expect(sentence() == "deploy.md: cannot be read; choose an existing Markdown file that can be read")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(sentence() == "deploy.md: is a folder, a pipe or a device; choose a Markdown file")
        try FileManager.default.removeItem(at: file)
        try Data([0x2D, 0xFF, 0xFE]).write(to: file)
        #expect(sentence() == "deploy.md: is not UTF-8 text; save it as UTF-8")
        try Data(repeating: 0x20, count: 262_145).write(to: file)
        #expect(sentence() == "deploy.md: is larger than 256 kB; split it into several runbooks")
        try Data("- [ ] a".utf8).write(to: file)
        #expect(try RunbookState(contentsOf: file).title == "deploy")
    }

    @Test func `a state from outside with a depth or a level that nothing has is refused`() throws {
        let state = try RunbookState(markdown: "# A\n\n## B\n\n- [ ] c", file: "a.md", title: "a")
        let json = try StateRecord(state).payload.text()
        func read(_ text: String) throws -> RunbookState { try JSONValue(parsing: text).decode(RunbookState.self) }
        #expect(try read(json) == state)
        for number in ["-1", "-9223372036854775808", "201", "9223372036854775807"] {
            #expect(throws: DecodingError.self, "\(number)") {
                try read(json.replacing(#""depth":0"#, with: #""depth":\#(number)"#))
            }
            #expect(throws: DecodingError.self, "\(number)") {
                try read(json.replacing(#""level":2"#, with: #""level":\#(number)"#))
            }
        }
        for number in [Int.min, -1, .max] {
            let step = RunbookStep(id: "a", markdown: "a", spans: [RunbookSpan("a")], depth: number)
            let section = RunbookSection("b", level: number, steps: [step])
            #expect(!RunbookState(title: "c", sections: [section]).markdown.isEmpty)
        }
    }

    @Test func `a file that is nested as deep as may be is read, and one level more is refused`() throws {
        // The paragraph and its text are two levels themselves.
        func nested(_ depth: Int) throws -> RunbookState {
            try read("- [ ] a\n\n" + String(repeating: ">", count: depth - 2) + "b")
        }
        #expect(try nested(400).steps.map(\.text) == ["a"])
        #expect(throws: RunbookFileError.self) { try nested(401) }
    }

    @Test(arguments: [">", "- ", "- > ", "1. "])
    func `a file that is nested without end is refused, and does not exhaust the stack`(mark: String) {
        for depth in [500, 5_000] {
            let error = #expect(throws: RunbookFileError.self) {
                try RunbookState(
                    markdown: "- [ ] a\n\n" + String(repeating: mark, count: depth) + "b", file: "a.md", title: "a")
            }
            #expect(error?.description == "a.md: is nested more than 400 deep; make it flatter")
        }
    }

    @Test func `blank code before a step's words is left out, and the words stay`() throws {
        #expect(try read("- [ ] ` ` tell Ana\n").steps.map(\.text) == ["tell Ana"])
    }

    @Test func `a table is shown as source, whatever its size, and nothing around it is lost`() throws {
        let table = "Intro:\n| a | b |\n|---|---|\n| 1 | 2 |"
        let document = try read("# R\n\n- [ ] a\n\n\(table)\n")
        #expect(document.sections.flatMap(\.notes).map(\.markdown) == [table])
        let again = try read(document.markdown)
        #expect(again.sections.flatMap(\.steps).map(\.markdown) == ["a"])
        let wide = String(repeating: "|a", count: 20_000) + "\n" + String(repeating: "|-", count: 20_000) + "\n"
        _ = try read("- [ ] a\n\n" + wide + String(repeating: "|a|\n", count: 20_000))
    }

    @Test func `a nested list that begins at another number is kept`() throws {
        let document = try read("- [ ] a\n\n  3. [ ] x\n")
        let again = try read(document.markdown)
        #expect(again.sections.flatMap(\.steps).map(\.number) == [nil, 3])
    }
}
