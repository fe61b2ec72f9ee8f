import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirPages

@Suite struct HealthPageTests {
    private static let now = Timestamp("2026-11-22T10:30:00Z") ?? Timestamp(milliseconds: 0)

    private static func run(
        _ number: Int64, _ phase: Phase, ago: Int64, took: Int64?, name: String, message: String = ""
    ) -> RunRecord {
        RunRecord(
            id: "01k9abcd\(100 + number)", operation: "copy",
            opening: RunOpening(actor: "ana", input: ["name": .string(name), "count": 3]),
            state: StateRecord(caseName: "\(phase)", payload: ["message": .string(message)], phase: phase), cause: nil,
            revision: 1, sequence: SequenceNumber(clamping: number), openedSequence: SequenceNumber(clamping: number),
            startedAt: now.before(ago), endedAt: took.map(now.before(ago).after))
    }

    private static func health() throws -> OperationHealth {
        let day: Int64 = 86_400_000
        let runs =
            (1...9).map { run($0, .succeeded, ago: $0 * day, took: $0 * 1_500, name: "a") }
            + [
                run(10, .failed, ago: 3 * day, took: 900, name: "<b>", message: "Timeout after 31 s & more."),
                run(11, .failed, ago: 2 * day, took: 800, name: "<b>", message: "Timeout after 45 s & more."),
                run(12, .cancelled, ago: day, took: 500, name: "a"),
                run(13, .active, ago: 60_000, took: nil, name: "a"),
            ]
        var fixture = try Fixture()
        _ = fixture.script.open("s", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("s", try StateRecord(CopyState.samples[1]))
        _ = fixture.script.move("s", try StateRecord(CopyState.samples[1]), after: 4_000)
        let succeeded = try CopyState.samples.map { try StateRecord($0) }.first { $0.phase == .succeeded }
        _ = fixture.script.move("s", try #require(succeeded), after: 2_000)
        return OperationHealth(
            of: "copy", runs: runs, details: [try #require(fixture.script.runs["s"])], asOf: now)
    }

    @Test(arguments: ["en", "pt-BR", "es"]) func `the page of an operation's health is sound markup and as reviewed`(
        tag: String
    ) throws {
        let fixture = try Fixture()
        let locale = try #require(PageLocale(tag))
        let frame = PageFrame(locale: locale, path: "/operations/copy/health", clock: Self.now)
        #expect(Markup.check(fixture.pages.health(try Self.health(), frame: frame), as: .document).isEmpty)
        let empty = OperationHealth(of: "copy", runs: [], asOf: Self.now)
        #expect(Markup.check(fixture.pages.health(empty, frame: frame), as: .document).isEmpty)
        let writer = fixture.pages.writer(frame)
        let html = writer.render("pages/health", writer.healthPage(try Self.health())).html
        let snapshots = MarkupSnapshots(suite: "HealthPageTests")
        #expect(throws: Never.self) { try snapshots.verify(html, as: .fragment, named: "health.\(tag)") }
    }

    @Test func `each error, input and run leads to its runs, and the table says what the pictures show`() throws {
        let fixture = try Fixture()
        let html = fixture.pages.health(try Self.health(), frame: PageFrame(clock: Self.now))
        let page = try MarkupDocument(html, as: .document)
        let error = try #require(try page.elements("//section[@aria-labelledby='health-errors']//td/a").first)
        #expect(error.text == "Timeout after # s & more.")
        #expect(error["href"] == "/runs?operation=copy&phase=failed&text=Timeout%20after%20s%20%26%20more.&within=30d")
        #expect(try page.elements("//section[@aria-labelledby='health-inputs']//tbody/tr").count == 1)
        #expect(try page.elements("//section[@aria-labelledby='health-slow']//tbody/tr").count == 1)
        #expect(try page.elements("//section[@aria-labelledby='health-time']//tbody/tr").count == 9)
        #expect(html.contains("<dd>81\u{A0}%</dd>"))
    }

    @Test func `bars stand on each other, and what is little can be seen`() throws {
        let chart = HealthChart(try Self.health())
        #expect(chart.width == 100 && chart.mostRuns == 2 && chart.longest == 13_500)
        let both = chart.outcomes[7]
        #expect(both.map(\.tone) == ["ok", "bad"] && both.map(\.height) == [30, 30] && both.map(\.y) == [30, 0])
        let last = chart.durations[8]
        #expect(last.first?.height == 6 && last.first?.y == 54)
        #expect(chart.outcomes.last == [])
    }

    @Test func `no part of a bar is without height, also where little stands on a full bar`() {
        let runs =
            (0..<198).map { Self.run($0, .succeeded, ago: 3_600_000, took: 1_000, name: "a") }
            + [
                Self.run(198, .cancelled, ago: 3_600_000, took: 1_000, name: "a"),
                Self.run(199, .failed, ago: 3_600_000, took: 1_000, name: "a"),
            ]
        let bars = HealthChart(OperationHealth(of: "copy", runs: runs, asOf: Self.now)).outcomes.filter { !$0.isEmpty }
        #expect(bars.map { $0.map(\.height) } == [[59, 1]])
    }

    @Test func `a list says that a run takes longer than usual once it does, also when it reports nothing`() throws {
        let rest = RunEstimate.Remaining(shortest: 1_000, longest: 5_000, right: 9, tried: 10)
        var fixture = try Fixture()
        let active = try StateRecord(CopyState.samples[1])
        _ = fixture.script.open("r", "copy", active, expected: RunEstimate(cases: [active.caseName: rest]))
        let run = try #require(fixture.script.runs["r"])
        let text = { (milliseconds: Int64) in
            var writer = fixture.pages.writer(.english)
            writer.format.now = run.record.startedAt.after(milliseconds)
            return (
                writer.render("partials/row", writer.row(run.record)).html,
                try #require(writer.left(run)).members["text"] as? String
            )
        }
        let (before, after) = (try text(4_999), try text(5_000))
        #expect(before.0.contains("data-text-over=\"longer than usual\"></time>"))
        #expect(after.0.contains("data-text-over=\"longer than usual\">longer than usual</time>"))
        #expect(after.1 == "longer than usual" && before.1 != after.1)
    }
}
