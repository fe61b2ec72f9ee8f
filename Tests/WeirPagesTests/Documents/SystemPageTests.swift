import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

@Suite struct SystemPageTests {
    @Test func `each count of runs is that of its operation and its phase alone`() throws {
        let facts = SystemFacts(
            facts: [],
            counts: [
                RunCount(operation: "copy", phase: .failed, count: 3),
                RunCount(operation: "copy", phase: .succeeded, count: 4),
                RunCount(operation: "watch", phase: .failed, count: 5),
            ])
        let html = try Fixture().pages.system(facts, frame: PageFrame())
        let page = try MarkupDocument(html, as: .document)
        let links = try page.elements("//section[@aria-labelledby='system-counts']//td/a")
        #expect(links.map(\.text).sorted() == ["3", "4", "5"])
        #expect(links.first { $0["href"] == "/runs?operation=copy&phase=failed" }?.text == "3")
    }

    @Test func `a reading has its value, its limit, its range and a line with a gap`() throws {
        var reading = SystemFacts.Reading(
            "memory", .bytes(3_000_000), parts: [nil, 1_000_000, 3_000_000, nil, 2_000_000])
        (reading.limit, reading.share) = (.bytes(4_000_000), 0.75)
        reading.end = Timestamp(milliseconds: 1_798_761_600_000)
        let html = try Fixture().pages.system(SystemFacts(facts: [], readings: [reading]), frame: PageFrame())
        #expect(Markup.check(html, as: .document).isEmpty)
        let page = try MarkupDocument(html, as: .document)
        let cell = try #require(try page.elements("//dl[@class='readings']/div").first)
        #expect(cell.text.contains("3.0\u{A0}MB") && cell.text.contains("75\u{A0}% of 4.0\u{A0}MB"))
        let drawing = try #require(try page.elements("//dl[@class='readings']//*[local-name()='svg']").first)
        #expect(drawing["aria-label"] == "Least 1.0\u{A0}MB, most 3.0\u{A0}MB")
        let lines = try page.elements("//dl[@class='readings']//*[local-name()='path'][@class='line']")
        #expect(lines.first?["d"]?.filter { $0 == "M" }.count == 2)
    }

    @Test func `a missed start names its operation, and its time in the reader's format`() throws {
        let refusal = "The start planned for 2026-11-22T03:30:00.000Z was refused: A run is active."
        let missed = ServerCondition(.schedule, of: "copy", since: Timestamp(milliseconds: 0), sentence: refusal)
        let html = try Fixture().pages.system(SystemFacts(facts: [], conditions: [missed]), frame: PageFrame())
        let item = try #require(try MarkupDocument(html, as: .document).elements("//ul[@class='problems']/li").first)
        #expect(item.text.contains("22 Nov 2026, 03:30") && !item.text.contains("T03:30"))
        #expect(try item.elements("./a[@href='/operations/copy']").count == 1)
    }

    @Test func `a fact that is also a reading is shown once`() throws {
        let facts: [SystemFacts.Fact] = [.init("memory", .bytes(3_000_000)), .init("version", .text("1.0"))]
        let readings = [SystemFacts.Reading("memory", .bytes(3_000_000), parts: [nil])]
        for (readings, count) in [(readings, 1), ([], 2)] {
            let html = try Fixture().pages.system(SystemFacts(facts: facts, readings: readings), frame: PageFrame())
            let page = try MarkupDocument(html, as: .document)
            #expect(try page.elements("//dl[@class='facts']/div").count == count)
        }
    }

    @Test func `of many operations those with the most active runs are listed, and the others are counted`() throws {
        let counts = (100..<1_100).flatMap { number in
            [
                RunCount(operation: "job-\(number)", phase: .succeeded, count: number),
                RunCount(operation: "job-\(number)", phase: .active, count: number < 110 ? 1 : 0),
            ]
        }
        let html = try Fixture().pages.system(SystemFacts(facts: [], counts: counts), frame: PageFrame())
        let section = try #require(
            try MarkupDocument(html, as: .document).elements("//section[@aria-labelledby='system-counts']").first)
        let names = try section.elements(".//tbody//th").map(\.text)
        #expect(names.count == 100)
        #expect(names.first == "job-100" && names.contains("job-109") && !names.contains("job-110"))
        #expect(names.contains("job-1010") && !names.contains("job-1009"))
        #expect(section.text.contains("More operations, with fewer runs: "))
    }

    private func templates(_ check: SystemFacts.Check?) throws -> MarkupElement {
        let html = try Fixture().pages.system(SystemFacts(facts: [], check: check), frame: PageFrame())
        let page = try MarkupDocument(html, as: .document)
        return try #require(try page.elements("//section[@aria-labelledby='system-problems']").first)
    }

    @Test func `templates that are still being checked are not said to be right`() throws {
        let text = try templates(nil).text
        #expect(text.contains("are being checked"))
        #expect(!text.contains("no mistakes"))
    }

    @Test func `problems that a reader may not see are counted and not named`() throws {
        let problem = TemplateProblem(file: "operations/vault/done.mustache", line: 1, message: "is wrong")
        let text = try templates(SystemFacts.Check(problems: [problem], at: Timestamp(milliseconds: 0)).counted).text
        #expect(!text.contains("vault") && !text.contains("no mistakes"))
        #expect(text.contains("More problems, listed by weir check: 1."))
    }

    @Test func `of many problems the first are listed, and the others are counted`() throws {
        let problems = (1...1_500).map { TemplateProblem(file: "a", line: $0, message: "is wrong") }
        let text = try templates(.init(problems: problems, at: Timestamp(milliseconds: 0))).text
        #expect(text.contains("a:200 is wrong"))
        #expect(!text.contains("a:201"))
        #expect(text.contains("More problems, listed by weir check: 1,300."))
    }
}
