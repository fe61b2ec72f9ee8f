@testable import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirOperations
@testable import WeirPages
import WeirStates

@Suite struct FormTests {
    // L5
    @Test func `every action can be taken without JavaScript`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        let actions = try fixture.everyPage().flatMap { page in
            let document = try MarkupDocument(page.html, as: .document)
            return try document.elements("//form[@method='post']").map { form in
                let others = try document.elements("//button[@form='\(form["id"] ?? "")']")
                let buttons = (form.descendants + others).filter { $0.name == "button" && $0["type"] == "submit" }
                #expect(!buttons.isEmpty, "\(page.name)")
                return form["action"] ?? ""
            }
        }
        for action in ["/operations/copy/runs", "/runs/c1/cancellation", "/runs/c5/retries"] {
            #expect(actions.contains(action))
        }
        #expect(!actions.contains { $0.contains("watch") || $0.contains("/w1/") })
    }

    // L5
    @Test func `a live page refreshes itself without JavaScript, and others stay`() throws {
        let fixture = try Fixture()
        let live = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: PageFrame())
        #expect(live.contains("<noscript><meta http-equiv=\"refresh\" content=\"1; url=/after/k3f9.7\"/></noscript>"))
        #expect(!fixture.pages.gallery(frame: PageFrame()).contains("http-equiv"))
    }

    @Test func `mistakes stand beside their fields and what was typed is kept`() throws {
        let draft = FormDraft(
            values: ["name": "Upper <Case>", "note": "\nlines", "mode": "whole", "count": "9"],
            errors: [
                .init(field: "name", detail: "has to be in lower case"), .init(field: "extra", detail: "is unknown"),
            ],
            message: Message(verbatim: "Two mistakes."))
        let html = try Fixture().pages.startForm(operation: "copy", draft: draft)
        let page = try MarkupDocument(html, as: .document)
        let name = try #require(try page.elements("//input[@name='input.name']").first)
        #expect(name["value"] == "Upper <Case>" && name["aria-invalid"] == "true" && name["required"] != nil)
        #expect(name["aria-describedby"] == "start-copy-name-help start-copy-name-error")
        #expect(try page.elements("//*[@id='start-copy-name-error']").first?.text == "has to be in lower case")
        #expect(try page.elements("//textarea[@name='note']").first?.text == "\n\nlines")
        #expect(try page.elements("//select[@name='mode']//option[@selected]").map { $0["value"] } == ["whole"])
        #expect(try page.elements("//input[@name='count']").first?["value"] == "9")
        #expect(try page.elements("//input[@name='isQuick'][@checked]").isEmpty)
        #expect(try page.elements("//*[@id='start-copy-error']").first?.text == "Two mistakes. extra: is unknown")
    }

    @Test func `a form nobody filled in has the defaults, and a run's form its input`() throws {
        var fixture = try Fixture()
        let input: JSONValue = ["name": "abc", "count": 4, "isQuick": true, "file": ["filename": "x"]]
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), input: input)
        let record = try #require(fixture.script.runs["r"]).record
        let content = PageContent.operation(try #require(fixture.script.board.operation("copy")))
        func value(_ path: String, _ draft: FormDraft?) throws -> String? {
            let html = fixture.pages.document(content, cursor: Fixture.cursor, frame: PageFrame(), draft: draft)
            return try MarkupDocument(html, as: .document).elements(path).first?["value"]
        }
        #expect(try value("//input[@name='count']", nil) == "2")
        #expect(try value("//select[@name='mode']/option[@selected]", nil) == "part")
        #expect(try value("//input[@name='isQuick'][@checked]", nil) == "true")
        let again = FormDraft(startingAgain: record)
        #expect(try value("//input[@name='count']", again) == "4")
        #expect(try value("//input[@name='input.name']", again) == "abc")
    }

    @Test func `a number in a form has the decimal mark of its language, and is a line of text`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), input: ["ratio": 0.125])
        let again = FormDraft(startingAgain: try #require(fixture.script.runs["r"]).record)
        let content = PageContent.operation(try #require(fixture.script.board.operation("copy")))
        func input(_ locale: PageLocale, _ draft: FormDraft?) throws -> MarkupTesting.MarkupElement? {
            let frame = PageFrame(locale: locale)
            let html = fixture.pages.document(content, cursor: Fixture.cursor, frame: frame, draft: draft)
            return try MarkupDocument(html, as: .document).elements("//input[@name='ratio']").first
        }
        #expect(try input(.english, nil)?["value"] == "0.5" && input(.brazilianPortuguese, nil)?["value"] == "0,5")
        #expect(try input(.brazilianPortuguese, again)?["value"] == "0,125")
        #expect(try input(.brazilianPortuguese, FormDraft(values: ["ratio": "1.2"]))?["value"] == "1.2")
        #expect(try input(.english, nil)?["type"] == "text" && input(.english, nil)?["min"] == nil)
    }

    @Test func `filters become a query and URLs and stay in the form`() throws {
        let filter = RunFilter(parameters: [
            "operation": "copy", "phase": "failed", "text": " a&b ü ", "from": "2026-11-21T12:00", "to": "soon",
            "before": "77", "page": "3",
        ])
        let query = filter.query()
        #expect(query.operation == "copy" && query.phase == .failed && query.text == "a&b ü" && query.before == 77)
        #expect(query.startedAfter?.description == "2026-11-21T12:00:00.000Z" && query.startedBefore == nil)
        #expect(!filter.isEmpty && RunFilter(parameters: ["text": " "]).isEmpty)
        var fixture = try Fixture()
        try fixture.fill()
        let runs = fixture.script.board.recentRuns.map(\.record)
        let last = try #require(runs.last?.openedSequence)
        let html = fixture.pages.runs(.init(runs: runs, next: 12), filter: filter, frame: PageFrame())
        #expect(Markup.check(html, as: .document).isEmpty)
        #expect(
            html.contains(
                "/runs?operation=copy&amp;phase=failed&amp;text=a%26b%20%C3%BC&amp;from=2026-11-21T12%3A00&amp;to=soon&amp;before=\(last)\""
            ))
        #expect(!html.contains("value=\"soon\""), "a field for a moment holds nothing else")
        #expect(html.contains("value=\"a&amp;b ü\"") && html.contains("id=\"filters-to-error\""))
        #expect(!html.contains("data-next"))
    }

    @Test func `the first field of a filter that cannot be read is the one that is named`() {
        let right = ["from": "2026-11-21T12:00", "to": "2026-11-22", "phase": "failed", "sort": "-started"]
        #expect(RunFilter(parameters: right).mistake == nil)
        let wrong = [
            ("from", "noon"), ("to", "13"), ("within", "1 eon"), ("sort", "colour"), ("phase", "odd"),
            ("text", "#"), ("text", String(repeating: "a ", count: 17)), ("limit", "0"), ("before", "x"),
            ("beyond", "1.2.3"), ("beyond", "7.8"), ("startedAfter", "2026-11-21"), ("phse", "failed"),
        ]
        for (name, value) in wrong {
            #expect(RunFilter(parameters: right.merging([name: value]) { $1 }).mistake?.name == name)
        }
    }

    @Test func `a filter names a day, a minute or a second, with an offset, and its end includes all of it`() {
        func query(_ name: String, _ value: String) -> RunQuery { RunFilter(parameters: [name: value]).query() }
        let moments = [
            "2026-11-21": "2026-11-21T00:00:00Z", "2026-11-21T12:00": "2026-11-21T12:00:00Z",
            "2026-11-21T12:00:05Z": "2026-11-21T12:00:05Z", "2026-11-21T12:00:05.5Z": "2026-11-21T12:00:05.500Z",
            "2026-11-21T12:00:00+01:00": "2026-11-21T11:00:00Z", "2026-11-21T12:00 01:00": "2026-11-21T11:00:00Z",
            "2026-11-21 12:00": "2026-11-21T12:00:00Z", "2026-11-21T12:00-0130": "2026-11-21T13:30:00Z",
        ]
        for (text, moment) in moments {
            let moment = Timestamp(moment)
            #expect(query("from", text).startedAfter == moment, "\(text)")
            #expect(query("startedAfter", text).startedAfter == moment, "\(text)")
            #expect(query("startedBefore", text).startedBefore == moment, "\(text)")
        }
        let ends = [
            "2026-11-21": "2026-11-22T00:00:00Z", "2026-11-21T15:54": "2026-11-21T15:55:00Z",
            "2026-11-21T15:54:28": "2026-11-21T15:54:29Z", "2026-11-21T15:54:28.1Z": "2026-11-21T15:54:28.101Z",
        ]
        for (text, end) in ends { #expect(query("to", text).startedBefore == Timestamp(end), "\(text)") }
        for text in ["2026-02-30", "2026-11", "noon", "2026-11-21T25:00", " ", "2026-11-21+01:00"] {
            #expect(RunFilter(parameters: ["to": "x\(text)"]).mistake?.name == "to", "\(text)")
        }
    }

    @Test func `a filter that was not understood offers no change, no export and no view`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        let filter = RunFilter(parameters: ["phse": "failed", "within": "7d"])
        let html = fixture.pages.runs(
            .init(runs: [], next: nil), filter: filter, mistake: Message(verbatim: "Not understood."),
            frame: PageFrame())
        #expect(Markup.check(html, as: .document).isEmpty)
        #expect(html.contains("role=\"alert\">Not understood.<"))
        #expect(!html.contains("/runs/change") && !html.contains("/runs/export") && !html.contains("/runs/views"))
        let odd = fixture.pages.runs(
            .init(runs: [], next: nil), filter: RunFilter(parameters: ["phase": "odd"]), frame: PageFrame())
        #expect(!odd.contains("class=\"pill\" href=\"/runs\""), "no chip for what does not filter")
    }

    @Test func `the words of pages in every language are phases`() throws {
        let pages = try Fixture().pages
        for word in ["Running", "running", "En curso", "Em andamento"] { #expect(pages.phase(named: word) == .active) }
        #expect(pages.phase(named: "Falhou") == .failed && pages.phase(named: "odd") == nil)
        #expect(pages.operation(named: "copy", .english) == "copy" && pages.operation(named: "", .english) == nil)
    }

    @Test func `a list of the runs of a week leads to those of a day and of a month`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        let filter = RunFilter(parameters: ["within": "7d"])
        let html = fixture.pages.runs(.init(runs: [], next: nil), filter: filter, frame: PageFrame())
        let document = try MarkupDocument(html, as: .document)
        for span in ["24h", "30d"] {
            #expect(try document.elements("//a[@href='/runs?within=\(span)']").count == 1, "\(span)")
        }
    }

    @Test(arguments: [true, false])
    func `a list of some runs says that it is live where it follows what happens, and not elsewhere`(isLive: Bool)
        throws
    {
        let fixture = try Fixture()
        let html = fixture.pages.runs(
            .init(runs: [], next: nil), filter: RunFilter(parameters: ["within": "7d"]),
            cursor: isLive ? Fixture.cursor : nil, frame: PageFrame())
        let document = try MarkupDocument(html, as: .document)
        #expect(try document.elements("//*[@id='live'][@data-state='\(isLive ? "live" : "static")']").count == 1)
    }

    @Test(arguments: [(RunChange.cancel, "Cancel runs"), (RunChange.retry, "Try runs again")])
    func `a page about many runs is headed by what is done to them, before and afterwards`(
        change: RunChange, title: String
    ) throws {
        let pages = try Fixture().pages
        let plan = RunChange.Plan(change, runs: [], unknown: 1, hasMore: false, key: "k", filter: RunFilter())
        let report = RunChange.Report(change, items: [], filter: RunFilter())
        for html in [pages.runChange(plan, frame: PageFrame()), pages.runChange(report, frame: PageFrame())] {
            let page = try MarkupDocument(html, as: .document)
            #expect(try page.elements("//main//h1").map(\.text) == [title])
        }
    }

    /// A place whose name is one of several in each region; one name is in both.
    private struct PlaceInput: OperationInput {
        static var fields: [InputField] {
            var place = InputField("place", "Place", .choice(["porto", "central"]))
            place.groups = [
                ChoiceGroup(["porto", "central"], beside: [.init(field: "region", value: "eu")]),
                ChoiceGroup(["central"], beside: [.init(field: "region", value: "us")]),
            ]
            return [InputField("region", "Region", .choice(["eu", "us"])), place]
        }
    }

    @Test func `a value that stands beside several others is chosen beside the one that was chosen`() throws {
        var catalog = Catalog()
        catalog.add(StatesOnly<PlaceInput, CopyState>(), id: "visit", title: "Visit", summary: "")
        let pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
        for (region, other) in [("eu", "us"), ("us", "eu")] {
            let draft = FormDraft(values: ["region": region, "place": "central"])
            let html = pages.startForm(operation: "visit", draft: draft)
            let page = try MarkupDocument(html, as: .document)
            let chosen = try page.elements("//optgroup[@label='\(region)']/option[@selected]")
            #expect(chosen.map { $0["value"] } == ["central"])
            #expect(try page.elements("//optgroup[@label='\(other)']/option[@selected]").isEmpty)
        }
    }

    @Test func `a required choice without a default is not made for the reader`() throws {
        var catalog = Catalog()
        catalog.add(StatesOnly<DatabaseInput, CopyState>(), id: "restore", title: "Restore", summary: "")
        let pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
        let html = pages.startForm(operation: "restore", draft: FormDraft())
        #expect(Markup.check(html, as: .document).isEmpty)
        let page = try MarkupDocument(html, as: .document)
        #expect(try page.elements("//select[@required]/option").map { $0["value"] } == ["", "orders", "stock"])
        #expect(try page.elements("//select[@required]//option[@selected]").isEmpty)
        #expect(try page.elements("//form[@novalidate]").count == 1, "the errors are ours, beside the fields")
    }

    private struct DatabaseInput: OperationInput {
        static var fields: [InputField] {
            [InputField("database", "Database", .choice(["orders", "stock"]), required: true)]
        }
    }
}
