import Testing
import WeirFlows
import WeirOperations
import WeirStates
@testable import WeirFiles

@Suite(.timeLimit(.minutes(15))) struct StateReportTests {
    @Test func `a printed line is a report only if all of it is one`() {
        #expect(StateReport(line: "::weir uploading completed=4 total=9 unit=bytes::")?.completed == "4")
        #expect(StateReport(line: "::weir show=\"say \\\"hi\\\"\"::")?.show == "say \"hi\"")
        #expect(StateReport(line: "::weir a::  ")?.state == "a")
        for line in [
            "::weir", "::weir ::", "::weir a b::", "::weir a x=\"open::", "x ::weir a::", "::weir a:: x",
            "::weir failed::",
            "::weir a unit=miles::", "::weir 9::", "::weir a \u{202E}=1::",
            "::weir a " + String(repeating: "x", count: 5_000) + "::",
        ] {
            #expect(StateReport(line: line) == nil, "\(line.prefix(40))")
        }
    }

    @Test func `JSON keeps the types of its values`() {
        let report = StateReport(json: #"{"state": "a", "completed": 2.5, "n": 7, "ok": true, "values": {"t": "x"}}"#)
        #expect(report?.values == ["n": 7, "ok": true, "t": "x"])
        #expect(report?.completed == "2.5")
        for line in ["", "x", "[]", "{}", "null", #"{"state": null"#] {
            #expect(StateReport(json: line) == nil, "\(line)")
        }
    }

    @Test func `numbers and file names that JSON has no form for are texts, and the other members count`() {
        let report = StateReport(
            json: "\u{FEFF}"
                + #"{"state": "a", "loss": NaN, "low": -Infinity, "big": 1e400, "file": "a\udcff.txt", "n": 1.10}"#)
        #expect(report?.state == "a")
        #expect(
            report?.values == [
                "loss": "NaN", "low": "-Infinity", "big": "1e400", "file": "a\u{FFFD}.txt",
                "n": .number(JSONNumber("1.10") ?? JSONNumber(0)),
            ])
        #expect((try? JSONValue(parsing: "NaN")) == nil)
    }

    @Test(arguments: [
        (#"{"state": "made", "a": "1", "obj": {"k": [1]}}"#, "made", ["obj": "text, a number, or true or false"]),
        (
            #"{"state": "succeeded", "a": "1"}"#, "running",
            ["state": "a name that begins with a letter, and none that every operation has"]
        ),
        (
            #"{"state": "made", "values": {"a": "1", "b": [1]}, "unit": "miles"}"#, "made",
            ["b": "text, a number, or true or false", "unit": "items, bytes or percent"]
        ),
        (
            #"{"state": "made", "a": "1", "completed": true, "show": 5}"#, "made",
            ["completed": "a number", "show": "text"]
        ),
    ])
    func `a wrong member of a JSON report is named once, and the others count`(
        _ line: String, _ name: String, _ ignored: [String: String]
    ) throws {
        let report = try #require(StateReport(json: line))
        #expect(report.values == ["a": "1"])
        #expect(report.ignored == ignored)
        var tracker = StateTracker(try FileTrial.definition("{title: T, command: [x]}"), CommandInput([:]))
        _ = tracker.begin()
        let step = tracker.take(json: line)
        #expect(step.state == .active(name, StateDetails(values: ["a": "1"])))
        for (member, need) in ignored {
            #expect(step.notice?.contains("In a state report, “\(member)” was ignored: it must be \(need).") == true)
        }
        #expect(tracker.take(json: line).notice == nil)
    }

    @Test func `a report has as many values as a page can show, and no more`() {
        func line(_ count: Int) -> String {
            "::weir a " + (1...count).map { "v\($0)=\($0)" }.joined(separator: " ") + "::"
        }
        #expect(StateReport(line: line(StateReport.maximumValues))?.values.count == StateReport.maximumValues)
        #expect(StateReport(line: line(StateReport.maximumValues + 1)) == nil)
    }

    @Test func `counts are read as programs print them`() {
        #expect(WorkProgress(completed: "1,234,567", total: "2,000,000", unit: .bytes)?.completed == 1_234_567)
        #expect(WorkProgress(completed: "1.5M", total: nil, unit: .bytes)?.completed == 1_572_864)
        #expect(WorkProgress(completed: "45%", total: nil, unit: .percent) == WorkProgress(45, of: 100, unit: .percent))
        #expect(WorkProgress(completed: "900", total: "7", unit: .percent)?.completed == 100)
        #expect(WorkProgress(completed: "1e9", total: nil, unit: .items) == nil)
        #expect(WorkProgress(completed: "99999999999999999999999", total: "1", unit: .items)?.completed == .max)
    }

    @Test func `every state comes back from what is recorded of it`() throws {
        for state in CommandState.samples + [.active("uploading", StateDetails(values: ["n": 7, "ok": true]))] {
            let record = try StateRecord(state)
            #expect(record.caseName == state.name)
            #expect(try record.state(as: CommandState.self) == state)
        }
    }

    @Test func `a pattern looks at whole characters of the first four thousand bytes`() throws {
        let pattern = try TextPattern("(?<all>.*)$", for: .line)
        guard case .matched(let values) = pattern.match(String(repeating: "é", count: 4_000)).outcome else {
            return #expect(Bool(false))
        }
        #expect(values["all"]?.utf8.count == 4_096)
        #expect(pattern.match("").outcome == .matched(["all": ""]))
        #expect(try TextPattern("(?<a>x)|(?<b>y)", for: .line).match("y").outcome == .matched(["b": "y"]))
        #expect(try TextPattern("x\\K(?<a>y)?", for: .line).match("x").outcome == .matched([:]))
    }

    @Test func `a program that names a new state in each line is slowed down after five hundred`() async throws {
        let tracker = StateTracker(try FileTrial.definition("{title: T, command: [x]}"), CommandInput([:]))
        let reporter = StateReporter(tracker, flow: MutableStateFlow(CommandState.waiting))
        #expect(await reporter.begin())
        func pause(_ numbers: Range<Int>) async -> Duration {
            await reporter.take(json: numbers.map { #"{"state": "s\#($0)"}"# }).pause
        }
        #expect(await pause(0..<400) == .zero)
        #expect(await pause(400..<500) == .zero)
        #expect(await pause(500..<503) == .milliseconds(30))
    }

    @Test func `a run with slow lines gives way to others on the same thread`() async throws {
        let pool = WorkPool(threads: 1)
        let slow = StateReporter(
            StateTracker(
                try FileTrial.definition("{title: T, command: [x], states: {s: {match: '\\s+$'}}}"), CommandInput([:])
            ) { .zero }, flow: MutableStateFlow(CommandState.waiting), on: pool)
        let other = StateReporter(
            StateTracker(try FileTrial.definition("{title: T, command: [x]}"), CommandInput([:])),
            flow: MutableStateFlow(CommandState.waiting), on: pool)
        let ends = Locked<[String]>([])
        let line = LineSplitter.Piece.line(String(repeating: " ", count: 60) + "x")
        async let long: Void = {
            _ = await slow.take(Array(repeating: line, count: 10_000), on: .standardOutput)
            ends.withLock { $0.append("slow") }
        }()
        _ = await other.take([line], on: .standardOutput)
        ends.withLock { $0.append("other") }
        await long
        #expect(ends.withLock { $0 } == ["other", "slow"])
    }

    @Test func `a line is taken for what it says, whatever its colours`() throws {
        var tracker = StateTracker(
            try FileTrial.definition(
                "{title: T, command: [x], states: {copying: {match: '^copied (?<completed>[0-9]+)$'}}}"),
            CommandInput([:]))
        let copied = tracker.take("\u{1B}[1;32mcopied\u{1B}[0m 4\u{1B}[K", on: .standardOutput)
        #expect(copied.state?.name == "copying" && copied.isOutput)
        #expect(!tracker.take("\u{1B}[0m::weir checking::", on: .standardOutput).isOutput)
        _ = tracker.take("\u{1B}[31mthe disk is full\u{1B}]8;;https://example.org\u{07}\u{1B}[0m", on: .standardError)
        #expect(tracker.plainLine == "the disk is full")
    }

    @Test func `the text of a state can name the amounts of its progress`() throws {
        var tracker = StateTracker(
            try FileTrial.definition(
                #"""
                title: T
                command: [x]
                states:
                  copying:
                    match: '(?<completed>[\d,]+) of (?<total>[\d,]+) bytes'
                    progress: bytes
                    show: "{{completed}} of {{total}}"
                """#),
            CommandInput([:]))
        let step = tracker.take("1,024 of 4,096 bytes", on: .standardOutput)
        guard case .active("copying", let details) = step.state else {
            Issue.record("\(step)")
            return
        }
        #expect(details.show == "1,024 of 4,096" && details.progress == WorkProgress(1_024, of: 4_096, unit: .bytes))
    }
}
