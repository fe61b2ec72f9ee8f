import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirPages

@Suite struct ViewTests {
    @Test func `a feed's name is read only in its one spelling`() throws {
        let pages = try Fixture().pages
        for name in [
            "board", "runs", "operation-copy", "run-01jd4f", "board--pt-br", "runs--pt-br", "operation-copy--pt-br",
        ] {
            #expect(pages.page(feedName: name)?.feedName == name)
        }
        for name in [
            "", "boards", "board--en", "board--pt-BR", "board--pt", "board--xx", "Board", "operation-other",
            "operation-",
            "run-a--b", "store-x", "board--", "run-" + String(repeating: "a", count: 80),
        ] {
            #expect(pages.page(feedName: name) == nil, "\(name)")
        }
    }

    @Test func `the summary counts what there is, and says nothing of what there is not`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[5]), after: 10)
        let writer = fixture.pages.writer(.english)
        let counts = writer.summary(of: fixture.script.board).filter { $0["isNone"] as? Bool == false }
            .map { ($0["word"] as? String, $0["count"] as? String) }
        #expect(!counts.contains { $0.1 == "0" }, "\(counts)")
        #expect(counts.map(\.0) == ["Failed", "All"], "\(counts)")
    }

    @Test func `steps tell what is done, what goes on and what is to come`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[1]), after: 10)
        let writer = fixture.pages.writer(.english)
        func tones() throws -> [String?] {
            let run = try #require(fixture.script.runs["r"])
            let steps = try #require(writer.steps(run)?["list"] as? [Fields])
            return steps.map { $0["tone"] as? String }
        }
        #expect(try tones() == ["active", "idle"])
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[3]), after: 2_500)
        #expect(try tones() == ["ok", "active"])
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[5]), after: 1_000)
        #expect(try tones() == ["ok", "bad"])
        let html = writer.render("partials/run", writer.run(try #require(fixture.script.runs["r"]), isAlone: true)).html
        #expect(html.contains("2.5\u{A0}s"))
    }

    @Test func `an operation of one step alone has no list of steps`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("c", "copy", try StateRecord(CopyState.samples[1]))
        _ = fixture.script.open("w", "watch", try StateRecord(WatchState.samples[1]))
        let writer = fixture.pages.writer(.english)
        for (id, hasSteps) in [("c", true), ("w", false)] {
            let run = try #require(fixture.script.runs[id])
            let html = writer.render("partials/run", writer.run(run, isAlone: true)).html
            #expect(html.contains("<ol class=\"steps\">") == hasSteps, "\(id)")
        }
    }

    @Test func `time counts up beside the state that a run is in, and beside none once it has ended`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[1]))
        let writer = fixture.pages.writer(.english)
        func counting() throws -> [Bool] {
            let rows = writer.timeline(try #require(fixture.script.runs["r"]))["rows"] as? [Fields]
            return (rows ?? []).map { row in
                // Its bar grows with it.
                #expect((row["lane"] as? Fields)?["isOpen"] as? Bool == (row["since"] != nil))
                return row["since"] != nil
            }
        }
        #expect(try counting() == [false, true])
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[4]))
        #expect(try counting() == [false, false, false])
    }

    @Test func `a timeline is to scale in milliseconds, at every change of the state that goes on`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[1]), after: 1_000)
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[3]), after: 3_000)
        let writer = fixture.pages.writer(.english)
        func bars() throws -> [[String?]] {
            let rows = writer.timeline(try #require(fixture.script.runs["r"]))["rows"] as? [Fields]
            return (rows ?? []).map { row in
                let lane = row["lane"] as? Fields
                return ["x", "width", "length"].map { lane?[$0] as? String }
            }
        }
        #expect(try bars() == [["0", "1000", "5000"], ["1000", "3000", "5000"], ["4000", "0", "5000"]])
        let tick = CopyState.writing(target: "t", part: 9, nested: [:], note: nil)
        _ = fixture.script.move("r", try StateRecord(tick), after: 2_500)
        #expect(try bars() == [["0", "1000", "8000"], ["1000", "3000", "8000"], ["4000", "2500", "8000"]])
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[4]), after: 1_500)
        #expect(
            try bars() == [
                ["0", "1000", "8000"], ["1000", "3000", "8000"], ["4000", "4000", "8000"], ["8000", "0", "8000"],
            ])
    }

    @Test func `an axis has room for what it shows and some more, and is not far too long`() {
        #expect(
            [0, 800, 1_000, 4_400, 60_000, 100_000].map(TimeAxis.length) == [
                1_000, 1_000, 1_500, 5_000, 80_000, 150_000,
            ])
        for elapsed in stride(from: Int64(1_000), to: 10_000_000, by: 7_919) {
            let length = TimeAxis.length(holding: elapsed)
            #expect(length > elapsed && length <= elapsed * 2)
        }
    }

    @Test func `a very long run shows its newest states and says how many are left out`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        for index in 0..<100 {
            _ = fixture.script.move("r", try StateRecord(CopyState.samples[index % 2 == 0 ? 1 : 3]))
        }
        let run = try #require(fixture.script.runs["r"])
        let html = fixture.pages.region(.run(run), cursor: Fixture.cursor, frame: PageFrame())
        #expect(html.contains("61 earlier states are not shown."))
        #expect(html.contains("id=\"t100\"") && !html.contains("id=\"t60\""))
    }

    @Test(arguments: [("Copy", "42"), ("\u{10FF}", "21"), ("\u{1100}", "26")])
    func `a badge has room for its name, and more where a letter is wide`(title: String, width: String) throws {
        var catalog = Catalog()
        catalog.add(CopyOperation(), id: "copy", title: title, summary: "")
        let pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
        #expect(pages.writer(.english).badge("copy", latest: nil)["split"] as? String == width)
    }

    @Test func `numbers become a line that fits its box`() {
        #expect(Sparkline([]).line == "M0 23H100")
        #expect(Sparkline([5]).line == "M0 1L100 1")
        #expect(Sparkline([0, 50, 100], maximum: 100).line == "M0 23L50 12L100 1")
        #expect(Sparkline([0, 1_000], maximum: 100).area == "M0 23L100 1V24H0z")
        #expect(Sparkline([0, 0]).line == "M0 23L100 23")
    }

    @Test func `the title tells progress and outcome`() throws {
        var fixture = try Fixture()
        let writer = fixture.pages.writer(.english)
        func title() throws -> String? {
            writer.title(.run(try #require(fixture.script.runs["r"])))["title"] as? String
        }
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.samples[1]))
        #expect(try title() == "(62\u{A0}%) Copy \u{B7} Weir")
        #expect(writer.title(.board(fixture.script.board))["title"] as? String == "Operations \u{B7} Weir")
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[4]))
        #expect(try title() == "\u{2713} Copy \u{B7} Weir")
        _ = fixture.script.open("f", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("f", try StateRecord(CopyState.failed(message: "No.")))
        let needed = writer.title(.board(fixture.script.board))
        #expect(needed["title"] as? String == "(1) Operations \u{B7} Weir" && needed["tone"] as? String == "bad")
    }

    @Test func `every cause of an end has a sentence of its own in every language`() throws {
        let causes: [EndCause] = [
            .actor("Ana"), .replaced, .unwatched, .rolledOver, .scope, .caller, .itself, .shutdown, .stopped, .exported,
            .unrecorded, .notAnEnd, .silent, .whole, .overtime,
        ]
        // As journals and exports hold it, so it is read.
        for cause in causes { #expect(EndCause(cause.description) == cause) }
        for locale in [PageLocale.english, .brazilianPortuguese, try #require(PageLocale("es"))] {
            let writer = try Fixture().pages.writer(locale)
            #expect(Set(causes.map(writer.words)).count == causes.count, "\(locale)")
        }
        #expect(EndCause("the disk was pulled out") == .other("the disk was pulled out"))
    }

    @Test func `an announced removal is on every page in the reader's language`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        for (locale, words) in [
            (PageLocale.english, "60,001 of 70,000 ended runs"), (.brazilianPortuguese, "60.001 de 70.000 execuções"),
        ] {
            for reason in [AnnouncedRemoval.Reason.size, .clock, .settings] {
                var frame = PageFrame(locale: locale)
                #expect(!fixture.everyPage(frame).contains { $0.html.contains(words) })
                frame.notices.removal = AnnouncedRemoval(
                    reason: reason, runs: 60_001, kept: 70_000, due: Timestamp(milliseconds: 1_795_262_400_000))
                for page in fixture.everyPage(frame) {
                    #expect(page.html.contains(words) && page.html.contains("2026-11-21T12:00"), "\(page.name)")
                }
            }
        }
    }

    @Test func `refused settings are on every page with the keys that they lack, in the reader's language`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        for (locale, words) in [(PageLocale.english, "no longer has"), (.brazilianPortuguese, "não tem mais")] {
            var frame = PageFrame(locale: locale)
            frame.notices.refusedSettings = RefusedSettings(
                at: Timestamp(milliseconds: 1_795_262_400_000), lost: ["grants", "retention.days"])
            for page in fixture.everyPage(frame) {
                #expect(page.html.contains("\(words) grants, retention.days"), "\(page.name)")
            }
            frame.notices.refusedSettings = RefusedSettings(at: Timestamp(milliseconds: 0), lost: [])
            let pages = fixture.everyPage(frame)
            #expect(pages.allSatisfy { $0.html.contains("1970-01-01T00:00") && !$0.html.contains("grants, ") })
        }
    }

    @Test func `causes are told in the reader's language`() throws {
        let writer = try Fixture().pages.writer(.brazilianPortuguese)
        #expect(writer.words(for: EndCause("cancelled by ana")) == "Cancelada por ana")
        #expect(writer.words(for: EndCause("nobody was watching")) == "Ninguém estava observando")
        #expect(writer.words(for: EndCause("something else")) == "something else")
    }
}
