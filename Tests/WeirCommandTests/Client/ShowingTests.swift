import Testing
@testable import WeirCommand
import WeirStates

struct ShowingTests {
    private func change(
        _ name: String, _ phase: String = "active", _ progress: JSONValue = nil, transition: Bool = true,
        state: JSONValue = [:]
    ) -> JSONValue {
        [
            "case": .string(name), "phase": .string(phase), "progress": progress, "transition": .bool(transition),
            "at": "2026-11-22T12:00:00.000Z", "state": state,
        ]
    }

    private func bytes(_ completed: Int64, _ total: Int64?) -> JSONValue {
        ["completed": .integer(completed), "total": total.map(JSONValue.integer) ?? nil, "unit": "bytes"]
    }

    @Test func `a gauge shows the state, a bar, the percent and the amounts`() {
        let line = Gauge(columns: 100).line(
            RunChange(
                state: "uploading", progress: WorkProgress(4_500_000, of: 10_000_000, unit: .bytes),
                payload: ["file": "a.bin"]))
        #expect(line == "  uploading  [█████████░░░░░░░░░░░]   45 %  4.5 MB of 10.0 MB  file=a.bin")
    }

    @Test(arguments: [1, 20, 40, 60, 80, 200])
    func `a gauge is never as wide as its terminal, however wide its characters are`(columns: Int) {
        let line = Gauge(columns: columns).line(
            RunChange(
                state: "déployer", progress: WorkProgress(Int64.max, of: .max),
                payload: ["message": .string(String(repeating: "部署🚀", count: 100))]))
        #expect(VisibleText.width(line) < max(columns, 20))
    }

    @Test func `a gauge shows hostile and odd numbers without failing`() {
        for progress in [
            WorkProgress(Int64.max, of: nil, unit: .percent), WorkProgress(Int64.max, of: .max, unit: .bytes),
            WorkProgress(-5, of: -9), WorkProgress(0, of: 0), WorkProgress(Int64.max, of: nil, unit: .bytes),
        ] {
            #expect(!Gauge(columns: 80).line(RunChange(state: "a", progress: progress)).isEmpty)
        }
    }

    @Test func `what comes from outside cannot control the terminal`() {
        let line = Gauge(columns: 80).line(
            RunChange(state: "a\u{1b}[2Jb", payload: ["message": "c\r\nd\u{202e}e\u{9b}2J\u{7}"]))
        #expect(line == "  a·[2Jb  c··d·e·2J·")
        #expect(
            VisibleText.output("\u{1b}[31mred\u{1b}[0m\tx\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[")
                == "\u{1b}[31mred\u{1b}[0m\tx·]0;title··[2J·[")
    }

    @Test func `on a terminal a state is redrawn in place, and stays when the next one comes`() {
        var view = WatchView(.gauge(columns: 60))
        #expect(view.text(for: change("loading")) == "  loading\u{1b}[K")
        #expect(view.text(for: change("loading", transition: false)) == "\r  loading\u{1b}[K")
        #expect(view.text(for: change("done", "succeeded")) == "\n✓ done\u{1b}[K\n")
    }

    @Test func `elsewhere each state is a line, and so is each tenth of its way`() {
        var view = WatchView(.plain)
        #expect(
            view.text(for: change("up", "active", bytes(0, 1_000)))
                == "2026-11-22T12:00:00.000Z  up  0 %  0 B of 1.0 kB\n")
        #expect(view.text(for: change("up", "active", bytes(90, 1_000), transition: false)) == "")
        #expect(view.text(for: change("up", "active", bytes(100, 1_000), transition: false)).contains("10 %"))
        #expect(view.text(for: change("up", "active", bytes(190, 1_000), transition: false)) == "")
        #expect(
            view.text(for: change("broken", "failed", state: ["message": "The disk is full."]))
                == "2026-11-22T12:00:00.000Z  broken  (failed)  The disk is full.\n")
    }

    @Test func `counts are shown once, and the values of a program behind its text or in its place`() {
        let counts: JSONValue = ["completed": 40, "total": 100, "unit": "bytes"]
        let members: [String: JSONValue] = [
            "completed": 40, "total": 100, "unit": "bytes", "values": ["file": "a b", "n": 2],
        ]
        var view = WatchView(.plain)
        #expect(
            view.text(for: change("up", "active", counts, state: .object(members)))
                == "2026-11-22T12:00:00.000Z  up  40 %  40 B of 100 B  file=a b n=2\n")
        #expect(
            view.text(for: change("up", "active", counts, state: .object(members.merging(["show": "It loads"]) { $1 })))
                == "2026-11-22T12:00:00.000Z  up  40 %  40 B of 100 B  It loads  file=a b n=2\n")
        // Without a progress, the same names are values of the state.
        #expect(
            view.text(for: change("up", state: ["completed": 3])) == "2026-11-22T12:00:00.000Z  up  completed=3\n")
    }

    @Test func `as JSON every change is one line`() {
        var view = WatchView(.json)
        let text = view.text(for: change("up", transition: false, state: ["a": "b\nc"]))
        #expect(text.count { $0 == "\n" } == 1)
        #expect((try? JSONValue(parsing: text)) == change("up", transition: false, state: ["a": "b\nc"]))
    }

    @Test func `the exit code says how a run ended`() {
        let codes =
            ["active": nil, "idle": nil, "succeeded": 0, "failed": 1, "cancelled": 2, "interrupted": 3]
            as [String: Int32?]
        for (phase, code) in codes { #expect(RunChange(change("x", phase))?.exitCode == code) }
        #expect(RunChange(["case": "x", "phase": "odd"]) == nil)
    }

    @Test func `a table lines up, also with wide characters, and shows no control character`() {
        var table = TextTable(["A", "B", "C"])
        table.add(["部署", "x", "y\u{1b}"])
        #expect(table.text == "A     B  C\n部署  x  y·\n")
    }
}
