import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirWeb

/// The report of a period, as a page, CSV and JSON.
@Suite(.timeLimit(.minutes(15)))
struct ReportPageTests {
    private static let html = "Accept: text/html"
    /// The server's clock does not move, and the runs have the time of day.
    private static let period = "?from=2020-01-01&to=2090-01-01"

    @Test func `a period's failures are a page, CSV and JSON`() async throws {
        try await TestServer.run(reporting: true) { server in
            let run = "/api/v1/streams/reported/deploy/r1"
            #expect(try await server.ask("PUT", run, body: "").status < 300)
            let headers = ["Content-Type: application/json", "Stream-Closed: true"]
            let end = #"{"state":"gone","phase":"failed","message":"The <disk> is full."}"#
            #expect(try await server.ask("POST", run, headers: headers, body: end).status == 204)
            let told = try await server.ask("GET", "/api/v1/report" + Self.period).json()
            #expect(told["operations"]?.array?.first?["operation"] == "deploy")
            #expect(told["operations"]?.array?.first?["newestFailure"] == "r1" && told["figures"]?["failed"] == 1)
            let page = try await server.ask("GET", "/report" + Self.period, headers: [Self.html]).text
            #expect(page.contains("The &lt;disk&gt; is full.") && page.contains("format=csv"))
            let table = try await server.ask("GET", "/report" + Self.period + "&format=csv").text
            #expect(table.hasPrefix("operation,failed,stopped,ended") && table.contains("deploy,1,0,1"))
            #expect(table.contains("r1,operation,,,,The <disk> is full."))
            #expect(table.contains("deploy,,,,,,,r1,message,,1,,The <disk> is full."))
            #expect(table.contains(",all,") && table.contains(",person,"))
            let past = try await server.ask("GET", "/api/v1/report?from=2001-01-01&to=2001-01-02").json()
            #expect(past["operations"] == [] && past["from"] == "2001-01-01T00:00:00.000Z")
        }
    }

    @Test func `each start that did not happen is a row of the CSV, with its time, number and reason`() {
        let busy = PeriodReport.MissedStart(
            operation: "a", time: Timestamp(milliseconds: 60_000), count: 1, refusal: "Busy.")
        let passed = PeriodReport.MissedStart(
            operation: "b", time: Timestamp(milliseconds: 120_000), count: 3, refusal: nil)
        let report = PeriodReport(
            from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 180_000), runs: [], isCut: false,
            missed: [busy, busy, passed])
        let table = report.table(Catalog())
        let rows = table.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(table[0], $0)) }
            .filter { $0["part"] == "missed" }
        #expect(rows.map { $0["operation"] } == ["a", "a", "b"] && rows.map { $0["count"] } == ["1", "1", "3"])
        #expect(rows.map { $0["message"] } == ["Busy.", "Busy.", ""])
        #expect(rows.last?["time"] == "1970-01-01T00:02:00.000Z" && rows.last?["failed"] == "")
    }

    @Test func `a tag keeps its name, also one that a starter has`() async throws {
        try await TestServer.run { server in
            var catalog = Catalog()
            catalog.add(
                TestOperation { _, state in state.value = .success(text: "done") }, id: "tagged", title: "Tagged",
                summary: "A test.", tags: ["schedule"])
            try await server.dashboard.replace(catalog, templates: TemplateSet())
            let run = try await server.board.start("tagged", input: [:], actor: "schedule").run
            await server.board.outcome(of: run)
            let headers = [Self.html, "Accept-Language: es"]
            let page = try await server.ask("GET", "/report" + Self.period, headers: headers).text
            #expect(page.contains("<td>#schedule</td>") && page.contains("<td>la agenda</td>"))
        }
    }

    @Test func `a moment that cannot be read is a mistake, and a period that ends before it begins is empty`()
        async throws
    {
        try await TestServer.run { server in
            #expect(try await server.ask("GET", "/report?from=x", headers: [Self.html]).status == 400)
            for query in ["perod=week", "format=csv&frm=2026-01-01", "period=week&period=month"] {
                #expect(try await server.ask("GET", "/report?\(query)", headers: [Self.html]).status == 400, "\(query)")
            }
            for query in ["from=x", "period=", "period=year", "period=week&from=2026-01-01"] {
                #expect(try await server.ask("GET", "/api/v1/report?\(query)").status == 400)
            }
            let week = try await server.ask("GET", "/api/v1/report?period=week").json()
            #expect(week["timezone"] == "UTC" && week["before"]?["failed"] != nil)
            #expect(try await server.ask("GET", "/report?format=x", headers: [Self.html]).status == 400)
            let turned = try await server.ask("GET", "/api/v1/report?from=2026-01-05&to=2026-01-01").json()
            #expect(turned["operations"] == [])
        }
    }
}
