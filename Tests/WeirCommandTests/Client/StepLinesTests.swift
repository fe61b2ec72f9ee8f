import Testing
import WeirStates

@testable import WeirCommand

/// How a terminal shows a run of steps.
struct StepLinesTests {
    private let graph: JSONValue = [
        "steps": [
            [
                "name": "build", "status": "succeeded", "needs": [], "began": "2026-11-22T12:00:00.000Z",
                "ended": "2026-11-22T12:00:00.164Z",
            ],
            ["name": "unit", "status": "failed", "needs": ["build"], "attempt": 2],
            ["name": "load", "status": "running", "needs": ["build"], "items": ["marks": "sfr-"]],
            [
                "name": "switch", "status": "skipped", "needs": ["unit", "load"],
                "because": ["kind": "need", "step": "unit"],
            ],
            ["name": "tidy", "status": "pending", "needs": [], "isFinally": true],
        ]
    ]

    private func message(_ state: JSONValue, _ phase: String = "active") -> JSONValue {
        ["case": "load", "phase": .string(phase), "transition": false, "at": "12:00", "state": state]
    }

    @Test func `each step is a line, indented by its needs, with its sign, counts and reasons`() throws {
        let lines = try #require(StepLines(graph)).lines(columns: 80)
        #expect(
            lines == [
                "✓ build         164 ms",
                "  └ ✕ unit      failed  attempt 2",
                "  └ ▸ load      running  1 of 4, 1 failed",
                "    └ – switch  skipped  because of unit  ← unit, load",
                "· tidy          at the end",
            ])
        for columns in [1, 20, 30] {
            for line in try #require(StepLines(graph)).lines(columns: columns) {
                #expect(VisibleText.width(line) < max(columns, 2))
            }
        }
    }

    @Test func `steps are named by their titles, also where another step mentions them`() throws {
        let steps: JSONValue = [
            "steps": [
                ["name": "load-eu", "title": "Load Europe", "status": "failed", "needs": []],
                ["name": "load-us", "title": "Load the States", "status": "succeeded", "needs": []],
                [
                    "name": "switch", "status": "skipped", "needs": ["load-eu", "load-us"],
                    "because": ["kind": "need", "step": "load-eu"],
                ],
            ]
        ]
        let lines = try #require(StepLines(steps))
        #expect(
            lines.lines(columns: 90) == [
                "✕ Load Europe      failed", "✓ Load the States",
                "  └ – switch       skipped  because of Load Europe  ← Load Europe, Load the States",
            ])
        #expect(
            lines.changes(since: nil) == [
                "Load Europe  failed", "Load the States  succeeded", "switch  skipped  because of Load Europe",
            ])
    }

    @Test func `a circle of needs, which no file has, is drawn all the same`() throws {
        let steps: JSONValue = [
            "steps": [
                ["name": "a", "status": "pending", "needs": ["b"]], ["name": "b", "status": "pending", "needs": ["a"]],
            ]
        ]
        #expect(try #require(StepLines(steps)).lines(columns: 80).count == 2)
    }

    @Test func `a terminal draws the steps again in place`() {
        var view = WatchView(.gauge(columns: 80))
        #expect(!view.text(for: message(graph)).contains("\u{1b}[5A"))
        #expect(view.text(for: message(graph)).hasPrefix("\u{1b}[5A\r✓ build"))
    }

    @Test func `on a terminal with fewer rows than steps, the steps that change scroll above the gauge`() {
        var low = WatchView(.gauge(columns: 24, rows: 5))
        let clear = "\u{1b}[K"
        #expect(
            low.text(for: message(graph))
                == "build  succeeded  164 …\(clear)\nunit  failed  attempt 2\(clear)\nload  running  1 of 4,…\(clear)\n"
                + "switch  skipped  becau…\(clear)\n  load\(clear)")
        #expect(low.text(for: message(graph)) == "\r  load\(clear)")
    }

    @Test func `the list of runs names the current step by its title`() {
        let steps: JSONValue = ["steps": [["name": "load", "title": "Load all", "status": "running"]]]
        #expect(RunTable.runs([["id": "r", "case": "load", "state": steps]]).contains("  Load all  "))
        #expect(RunTable.runs([["id": "r", "case": "copying", "state": [:]]]).contains("  copying  "))
    }

    @Test func `without a terminal, each step that changes is one line`() {
        var view = WatchView(.plain)
        #expect(
            view.text(for: message(graph))
                == "12:00  build  succeeded  164 ms\n12:00  unit  failed  attempt 2\n12:00  load  running  1 of 4, 1 failed\n"
                + "12:00  switch  skipped  because of unit\n")
        #expect(view.text(for: message(graph)) == "")
        #expect(view.text(for: message(graph, "failed")).contains("load  (failed)") == false)
    }
}
