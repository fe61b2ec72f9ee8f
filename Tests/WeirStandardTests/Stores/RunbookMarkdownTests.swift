import Foundation
import Testing
import WeirJournals

@testable import WeirStandard

@Suite struct RunbookMarkdownTests {
    private func read(_ text: String) throws -> RunbookState {
        try RunbookState(markdown: text, file: "release.md", title: "release")
    }

    @Test func `an export tells what became of each step below it`() throws {
        var runbook = try read(
            "# Release\n\nFirst.\n\n## Before\n- [ ] Tag `it`\n  Now.\n\n  ```\n  git tag\n  ```\n  - [ ] Sign\n")
        runbook.sections[1].steps[0].mark = .done(signed: ana)
        runbook.sections[1].steps[0].comments = [RunbookComment("two: tries", signed: bob)]
        runbook.sections[1].steps[1].assignee = "Bob"
        runbook.sections[1].steps[1].mark = .skipped(reason: "no key", signed: ana)
        #expect(
            runbook.markdown == """
                # Release

                First.

                ## Before

                - [x] Tag `it` Now.
                  - Done by Ana at 2026-11-21 10:42:07 UTC
                  - Comment by Bob at 2026-11-21 10:43:00 UTC: two: tries

                  ```
                  git tag
                  ```

                  - [ ] Sign
                    - Assigned to Bob
                    - Skipped by Ana at 2026-11-21 10:42:07 UTC: no key

                """)
    }

    @Test(arguments: ["C:\\*temp* & `x`", "a_b _c_ #", "[x](http://x.org)", "<b>", "~~gone~~", "&lt; \\\\"])
    func `a heading with marks that are meant as they stand comes back as it was`(text: String) throws {
        let step = RunbookStep(id: "a", markdown: "a", spans: [RunbookSpan("a")])
        let runbook = RunbookState(
            title: text, sections: [RunbookSection(text, steps: [step]), RunbookSection("T", steps: [])])
        let again = try read(runbook.markdown)
        #expect(again.title == text)
        #expect(again.sections.first?.heading == text)
    }

    @Test func `a record is signed by all that stands before its moment`() throws {
        let at = try #require(Timestamp("2026-11-21T10:42:07Z"))
        for name in ["Ana", "Ana at home", "Ana at noon UTC: she"] {
            let line = "Skipped by \(name) at 2026-11-21 10:42:07 UTC: at 2026-11-22 00:00:00 UTC: later"
            #expect(
                RunbookRecord(line)
                    == .skipped(reason: "at 2026-11-22 00:00:00 UTC: later", signed: Signature(by: name, at: at)))
        }
        for line in ["Comment by Ana at noon UTC: x", "Skipped by Ana at 2026-13-21 10:42:07 UTC: x", "Skipped: "] {
            #expect(RunbookRecord(line) == nil, "\(line)")
        }
    }

    @Test func `a control character is a space, in the text as in the file`() throws {
        let runbook = try read("# A\u{1}b\n\n- [ ] two\u{11}\n- [ ] **\u{0}x**y\u{85}z\n")
        #expect(runbook.title == "A b")
        #expect(runbook.steps.map(\.text) == ["two", "** x**y z"])
        #expect(try read(runbook.markdown).steps.map(\.text) == runbook.steps.map(\.text))
    }

    @Test func `texts and names that begin with a mark for the character before come back from an export`() throws {
        let mark = "\u{364}"
        var runbook = try read("- [ ] a\n- [ ] b\n")
        let signed = Signature(by: mark + "Ana", at: ana.at)
        runbook.sections[0].steps[0].mark = .skipped(reason: mark + "no", signed: signed)
        runbook.sections[0].steps[0].assignee = mark + "Bob"
        runbook.sections[0].steps[1].mark = .done(signed: signed)
        runbook.sections[0].steps[1].comments = [
            RunbookComment(mark, signed: signed), RunbookComment(mark, signed: nil),
        ]
        let steps = try read(runbook.markdown).steps
        #expect(steps.map(\.mark) == runbook.steps.map(\.mark))
        #expect(steps.map(\.assignee) == runbook.steps.map(\.assignee))
        #expect(steps.map(\.comments) == runbook.steps.map(\.comments))
    }

    @Test(arguments: [
        "- [ ] a\n- [x] b\n",
        "# T\n\nintro [x][1]\n\n- one\n- two\n\n1. [ ] a\n   - sub\n   - other\n\n   text\n\n   > quoted\n   > more\n   - [x] deep\n     - [ ] deeper\n\nbetween\n\n- [ ] b\n- plain\n- [ ] c\n\n[1]: http://x.org\n",
        "## H\n<!-- hidden -->\n\n- [ ] a\n\n  ````\n  ```\n  - [ ] no\n  ```\n  ````\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "# T\n### Deep\n\ttab code\n\n- [ ] a\n\n      code in it\n\n\t- [ ] tabbed\n\n\t  with text\n",
        "- [ ] a  \n  hard\\\n  break **b** <b>c</b> &amp; \\* [l](http://x.org \"t\")\n",
    ])
    func `reading an export gives the same runbook, ticks, names, times and all`(text: String) throws {
        var runbook = try read(text)
        #expect(try read(runbook.markdown) == runbook)
        for section in runbook.sections.indices {
            for index in runbook.sections[section].steps.indices {
                switch index % 3 {
                case 0: runbook.sections[section].steps[index].mark = .done(signed: ana)
                case 1: runbook.sections[section].steps[index].mark = .skipped(reason: "by: *choice*", signed: bob)
                default: runbook.sections[section].steps[index].mark = nil
                }
                runbook.sections[section].steps[index].assignee = "Ana & Bob"
                runbook.sections[section].steps[index].comments = [
                    RunbookComment("- [x] at 2026-11-21 10:42:07 UTC: `", signed: bob),
                    RunbookComment("x", signed: ana),
                ]
            }
        }
        var again = try read(runbook.markdown)
        for section in again.sections.indices {
            for index in again.sections[section].steps.indices {
                let ticked = again.sections[section].steps[index].isTickedInFile
                #expect(ticked == (index % 3 == 0))
                let before = runbook.sections[section].steps[index].isTickedInFile
                again.sections[section].steps[index].isTickedInFile = before
            }
        }
        #expect(again == runbook)
    }
}

let ana = Signature(by: "Ana", at: Timestamp(milliseconds: 1_795_257_727_000))
let bob = Signature(by: "Bob", at: Timestamp(milliseconds: 1_795_257_780_000))
