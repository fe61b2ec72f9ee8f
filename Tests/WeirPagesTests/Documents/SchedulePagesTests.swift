import MarkupTesting
import Testing
import WeirAccess
import WeirBoards
import WeirJournals

@testable import WeirPages

/// The list of schedules, and an operation's own.
@Suite struct SchedulePagesTests {
    private static let now = Timestamp("2026-11-22T10:00:00Z") ?? Timestamp(milliseconds: 0)

    private static func views() throws -> [ScheduleView] {
        let nightly = try Schedule(cron: "30 3 * * *", timezone: "America/Sao_Paulo", randomDelay: "5m")
        let often = try Schedule(every: "15m", catchUp: "skip")
        let standings = [
            ScheduleStanding(
                "", from: now, last: .init(time: now.before(60_000), at: now, run: "01k9abcdef", refusal: nil),
                missed: .init(count: 2, newest: now.before(120_000), at: now)),
            ScheduleStanding(
                "", from: now, pause: .init(by: "<b>Ana</b>", at: now, reason: "The <i>audit</i>"),
                last: .init(time: now, at: now, run: nil, refusal: "A run is active.")),
        ]
        return [
            ScheduleView(operation: "copy", start: ScheduledStart(nightly), standing: standings[0], at: now),
            ScheduleView(operation: "watch", start: ScheduledStart(often), standing: standings[1], at: now),
        ]
    }

    @Test(arguments: ["en", "pt-BR"]) func `the page of schedules is sound markup in every language`(tag: String) throws
    {
        let fixture = try Fixture()
        let html = fixture.pages.schedules(
            try Self.views(), frame: PageFrame(locale: try #require(PageLocale(tag)), path: "/schedules"))
        #expect(Markup.check(html, as: .document).isEmpty)
        let page = try MarkupDocument(html, as: .document)
        #expect(try page.elements("//tbody/tr").map { $0["id"] } == ["schedule-copy", "schedule-watch"])
    }

    @Test func `the page of schedules looks as it was reviewed, in each language`() throws {
        let snapshots = MarkupSnapshots(suite: "SchedulePagesTests")
        let fixture = try Fixture()
        for locale in [PageLocale.english, .brazilianPortuguese] {
            let writer = fixture.pages.writer(locale)
            let html = writer.render("pages/schedules", writer.schedulesPage(try Self.views())).html
            #expect(throws: Never.self) { try snapshots.verify(html, as: .fragment, named: "schedules.\(locale)") }
        }
    }

    @Test func `a schedule shows its next times by its own clock, and one that is paused shows by whom`() throws {
        let fixture = try Fixture()
        let html = fixture.pages.schedules(try Self.views(), frame: PageFrame())
        let page = try MarkupDocument(html, as: .document)
        let next = try page.elements("//tr[@id='schedule-copy']/td[3]/time")
        #expect(next.count == 1)
        #expect(next.first?.text == "23 Nov 2026, 03:30")
        #expect(next.first?["datetime"] == "2026-11-23T06:30:00.000Z")
        let copy = try #require(try page.elements("//tr[@id='schedule-copy']").first).text
        #expect(copy.contains("America/Sao_Paulo") && copy.contains("up to 5\u{A0}min later"))
        #expect(copy.contains("2 starts"))
        let watch = try #require(try page.elements("//tr[@id='schedule-watch']").first).text
        #expect(watch.contains("by <b>Ana</b>") && watch.contains("A run is active.") && watch.contains("every 15m"))
        #expect(watch.contains("Every 15m") && watch.contains("The <i>audit</i>"))
        #expect(copy.contains("Every day at 03:30"))
        #expect(
            try page.elements("//tbody//form").map { $0["action"] } == [
                "/schedules/copy/pause", "/schedules/watch/resumption",
            ])
    }

    @Test func `a schedule whose days have passed says that it has no further start, and a paused one does not`() throws
    {
        var schedule = try Schedule(cron: "0 4 * * *")
        schedule.days = try ScheduleDays(only: ["2026-11-01..2026-11-21"], skip: [])
        var frame = PageFrame()
        for (pause, isSaid) in [(nil, true), (ScheduleStanding.Pause(by: "Ana", at: Self.now), false)]
            as [(ScheduleStanding.Pause?, Bool)]
        {
            let view = ScheduleView(
                operation: "copy", start: ScheduledStart(schedule),
                standing: ScheduleStanding("", from: Self.now, pause: pause), at: Self.now)
            frame.schedule = view
            let pages = try Fixture().pages
            #expect(pages.schedules([view], frame: PageFrame()).contains("No further start") == isSaid)
            let content = PageContent.operation(OperationView(id: "copy"))
            let html = pages.document(content, cursor: Fixture.cursor, frame: frame)
            #expect(html.contains("No further start") == isSaid)
        }
    }

    @Test func `an operation's page has its schedule where it has one`() throws {
        let fixture = try Fixture()
        var frame = PageFrame()
        let content = PageContent.operation(OperationView(id: "copy"))
        let without = fixture.pages.document(content, cursor: Fixture.cursor, frame: frame)
        #expect(!without.contains("id=\"schedule\""))
        frame.schedule = try Self.views().first
        let html = fixture.pages.document(content, cursor: Fixture.cursor, frame: frame)
        #expect(Markup.check(html, as: .document).isEmpty)
        #expect(try MarkupDocument(html, as: .document).elements("//section[@id='schedule']//ol//time").count == 5)
    }

    @Test func `who may not start an operation cannot pause its schedule`() throws {
        let fixture = try Fixture()
        let pages = fixture.pages.restricted(to: fixture.catalog, permissions: .nothing)
        #expect(
            !pages.schedules(try Self.views(), frame: PageFrame()).contains("<form method=\"post\" action=\"/schedules")
        )
    }

    @Test(
        arguments: [
            ("*/15 * * * *", "Every 15\u{A0}min"), ("0 */6 * * *", "Every 6\u{A0}h"),
            ("7 * * * *", "Every hour at minute 7"),
            ("5 4 * * *", "Every day at 04:05"), ("@daily", "Every day at 00:00"),
            ("0 9 * * 1-5", "Monday to Friday at 09:00"),
            ("30 8 * * sun", "Every Sunday at 08:30"), ("0 0 1 * *", "On day 1 of every month at 00:00"),
            ("0 0 1 1 *", nil), ("1,2 * * * *", nil), ("0 9-17 * * *", nil), ("*/45 * * * *", nil),
            ("0 */7 * * *", nil),
        ] as [(String, String?)])
    func `a common cron expression is told in words, and another one as it is`(cron: String, words: String?) throws {
        let writer = try Fixture().pages.writer(.english)
        #expect(writer.words(for: try Schedule(cron: cron)) == words)
    }

    @Test func `schedules that did not start come first, and paused ones last`() throws {
        let start = ScheduledStart(try Schedule(cron: "0 4 * * *"))
        let late = ScheduleStanding(
            "", from: Self.now, last: .init(time: Self.now, at: Self.now, run: nil, refusal: "x"))
        let paused = ScheduleStanding("", from: Self.now, pause: .init(by: "Ana", at: Self.now))
        let views = [("a", paused), ("b", ScheduleStanding("", from: Self.now)), ("c", late)].map { id, standing in
            ScheduleView(operation: id, start: start, standing: standing, at: Self.now)
        }
        let html = try Fixture().pages.schedules(views, frame: PageFrame())
        let rows = try MarkupDocument(html, as: .document).elements("//tbody/tr")
        #expect(rows.map { $0["id"] } == ["schedule-c", "schedule-b", "schedule-a"])
    }
}
