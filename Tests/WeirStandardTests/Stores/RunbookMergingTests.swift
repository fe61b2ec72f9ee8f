import Testing
@testable import WeirStandard

@Suite struct RunbookMergingTests {
    private func read(_ text: String) throws -> RunbookState {
        try RunbookState(markdown: text, file: "release.md", title: "release")
    }

    @Test func `steps whose text stayed keep all that was done to them, wherever they moved`() throws {
        var old = try read("## A\n- [ ] one\n- [ ] two\n")
        old.sections[0].steps[0].mark = .done(signed: ana)
        old.sections[0].steps[1].assignee = "Bob"
        old.sections[0].steps[1].waiting = ["Ana"]
        let merged = old.taking(try read("## A\n- [ ] new\n- [ ] two\n\n## B\n- [ ]   one\n"))
        #expect(merged.steps.map(\.id) == ["new", "two", "one"])
        #expect(merged.steps[2].mark == .done(signed: ana))
        #expect(merged.steps[1].assignee == "Bob")
        #expect(merged.steps[1].waiting == ["Ana"])
        #expect(merged.steps[0].mark == nil)
    }

    @Test func `of steps with one text, each keeps its own under its heading and outer steps`() throws {
        var old = try read("- [ ] Europe\n  - [ ] drain\n- [ ] America\n  - [ ] drain\n")
        old.sections[0].steps[3].mark = .done(signed: ana)
        let merged = old.taking(try read("- [ ] America\n  - [ ] drain\n- [ ] Europe\n  - [ ] drain\n"))
        #expect(merged.steps.map { $0.mark != nil } == [false, true, false, false])
        #expect(merged.steps.map(\.id) == ["america", "drain-2", "europe", "drain"])
    }

    @Test func `a step that is gone stays at the end if anybody left anything on it, and comes back with it`() throws {
        var old = try read("- [ ] one\n- [ ] two\n- [ ] three\n")
        old.sections[0].steps[0].comments = [RunbookComment("hm", signed: ana)]
        let short = try read("- [ ] three\n")
        let merged = old.taking(short)
        #expect(merged.steps.map(\.text) == ["three"])
        #expect(merged.sections.last?.heading == "No longer in the file")
        #expect(merged.sections.last?.steps.map(\.text) == ["one"])
        #expect(merged.taking(short) == merged)
        let back = merged.taking(try read("- [ ] one\n- [ ] three\n"))
        #expect(back.sections.count == 1)
        #expect(back.steps[0].comments == [RunbookComment("hm", signed: ana)])
    }

    @Test func `a step of a new text never gets the name of one that is gone`() throws {
        var old = try read("- [ ] Same\n- [ ] keep\n")
        old.sections[0].steps[0].mark = .done(signed: ana)
        let merged = old.taking(try read("- [ ] same!\n- [ ] keep\n"))
        #expect(merged.sections.flatMap(\.steps).map(\.id) == ["same-2", "keep", "same"])
    }

    @Test func `a box newly ticked in the file is done, and one that people opened again stays open`() throws {
        var old = try read("- [ ] one\n- [x] two\n")
        old.sections[0].steps[1].mark = nil
        let merged = old.taking(try read("- [x] one\n- [x] two\n"))
        #expect(merged.steps.map(\.mark) == [.done(signed: nil), nil])
    }

    @Test func `the same file again changes nothing`() throws {
        let file = try read("# T\n\n- [ ] one\n  - [x] two\n\n## S\n- [ ] one\n")
        #expect(file.taking(file) == file)
    }

    @Test func `a step that was made without a file is done once the file ticks it`() throws {
        let step = RunbookStep(id: "one", markdown: "one", spans: [RunbookSpan("one")])
        let made = RunbookState(title: "T", sections: [RunbookSection("A", steps: [step])])
        #expect(made.taking(try read("# T\n\n## A\n- [x] one\n")).steps.map(\.mark) == [.done(signed: nil)])
    }
}
