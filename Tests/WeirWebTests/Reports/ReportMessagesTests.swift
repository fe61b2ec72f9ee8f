import HTTPTypes
import Testing
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirWeb

// Sections 5.2, 5.2.1 and 9.1 of the Durable Streams protocol.
@Suite struct ReportMessagesTests {
    private func read(_ text: String, isClosing: Bool = false) throws -> ReportMessages {
        try ReportMessages(try JSONValue(parsing: text), isClosing: isClosing, limits: ReportLimits())
    }

    private func mistakes(_ text: String, isClosing: Bool = false) throws -> [String] {
        do {
            _ = try read(text, isClosing: isClosing)
            return []
        } catch let error as ReportMessages.Mistakes {
            return error.list.map(\.field)
        }
    }

    @Test func `a message stands alone or in a list, which is taken apart once`() throws {
        let one = try read(#"{"state":"build"}"#)
        let list = try read(#"[{"state":"build"}]"#)
        #expect(one == list)
        #expect(one.entries == [.state(StateRecord(caseName: "build", phase: .active))])
        #expect(try mistakes(#"[[{"state":"build"}]]"#) == ["[0]"])
        #expect(try mistakes("[]") == [""])
    }

    @Test func `a message can say when it happened, in a time with a zone`() throws {
        let late = try read(
            #"[{"state":"a","happenedAt":"2026-11-21T12:00:00+01:00"},{"line":"b"},{"state":"c","phase":"failed","happenedAt":"1970-01-01T00:00:00.5Z"}]"#,
            isClosing: true)
        #expect(late.happenedAt == [Timestamp("2026-11-21T11:00:00Z"), nil, Timestamp(milliseconds: 500)])
        #expect(late.entries.first == .state(StateRecord(caseName: "a", phase: .active)))
        for time in [#""2026-11-21T12:00:00""#, #""1969-12-31T23:59:59Z""#, #""now""#, "7"] {
            #expect(try mistakes(#"{"line":"a","happenedAt":\#(time)}"#) == ["happenedAt"], "\(time)")
        }
        #expect(try mistakes(#"{"beat":true,"happenedAt":"2026-11-21T12:00:00Z"}"#) == ["happenedAt"])
    }

    @Test func `a state has progress of its own, and shows all else that it brings`() throws {
        let read = try read(
            #"{"state":"uploading","completed":40,"total":100,"unit":"bytes","file":"a.bin","parts":[1,2]}"#)
        #expect(
            read.entries == [
                .state(
                    StateRecord(
                        caseName: "uploading", payload: ["file": "a.bin", "parts": [1, 2]], phase: .active,
                        progress: WorkProgress(40, of: 100, unit: .bytes)))
            ])
    }

    @Test func `lines have a channel, and beats leave nothing`() throws {
        let read = try read(
            #"[{"line":"a\rb"},{"line":"c","channel":"stderr","continues":true},{"line":"d","continues":false},{"beat":true}]"#
        )
        #expect(
            read.entries == [
                .line("a\rb", .standardOutput), .line("c", .standardError, continues: true),
                .line("d", .standardOutput),
            ])
        #expect(read.end == nil)
    }

    @Test func `an outcome is the last message of a request that closes`() throws {
        let failed = #"{"state":"gone","phase":"failed","message":"Full."}"#
        let read = try read("[{\"state\":\"x\"},\(failed)]", isClosing: true)
        #expect(read.entries.count == 1)
        #expect(read.end == StateRecord(caseName: "gone", payload: ["message": "Full."], phase: .failed))
        #expect(try mistakes("[\(failed)]") == ["[0].phase"])
        #expect(try mistakes("[\(failed),{\"state\":\"x\"}]", isClosing: true) == ["[0].phase"])
        #expect(try mistakes(#"{"state":"x","phase":"interrupted"}"#, isClosing: true) == ["phase"])
    }

    @Test func `every mistake is found with the place of its message, and nothing is taken`() throws {
        let bad = #"""
            [{"state":"ok"},{"state":""},{"state":"x","completed":-1},{"state":"x","completed":1.5,"unit":"cats"},
             {"line":7},{"line":"a\nb"},{"line":"a","channel":"notice"},{"beat":false},{"line":"a","state":"b"},{},7,
             {"line":"a","more":1},{"state":"x","total":3},{"state":"x","completed":1e300}]
            """#
        #expect(
            try mistakes(bad) == [
                "[1].state", "[2].completed", "[3].completed", "[3].unit", "[4].line", "[5].line", "[6].channel",
                "[7].beat", "[8]", "[9]", "[10]", "[11].more", "[12].total", "[13].completed",
            ])
    }

    @Test func `very many messages and very long lines are refused`() throws {
        let limits = {
            var limits = ReportLimits()
            (limits.messages, limits.lineBytes) = (2, 3)
            return limits
        }()
        #expect(throws: ReportMessages.Mistakes.self) {
            try ReportMessages([["beat": true], ["beat": true], ["beat": true]], isClosing: false, limits: limits)
        }
        #expect(throws: ReportMessages.Mistakes.self) {
            try ReportMessages(["line": "abcd"], isClosing: false, limits: limits)
        }
    }

    @Test func `a state or an input with more bytes than it may have is refused by the name of the setting`() throws {
        let limits = {
            var limits = ReportLimits()
            limits.stateBytes = 20
            return limits
        }()
        func states(_ blob: String) throws -> ReportMessages {
            try ReportMessages(
                [["beat": true], ["state": "x", "completed": 1, "blob": .string(blob)]], isClosing: false,
                limits: limits)
        }
        let message = "must have 20 bytes at most as JSON, the limit that reports.state-bytes sets."
        #expect(try states("123456789").entries.count == 1)
        let state = #expect(throws: ReportMessages.Mistakes.self) { try states("1234567890") }
        #expect(state?.list == [InputMistake(field: "[1]", detail: message)])
        #expect(try ReportOpening(["input": ["blob": "123456789"]], limits: limits).title == nil)
        let opening = #expect(throws: ReportMessages.Mistakes.self) {
            try ReportOpening(["input": ["blob": "1234567890"]], limits: limits)
        }
        #expect(opening?.list == [InputMistake(field: "input", detail: message)])
    }

    @Test func `an opening has an input and a title, or nothing`() throws {
        func open(_ body: JSONValue?) throws -> ReportOpening { try ReportOpening(body, limits: ReportLimits()) }
        #expect(try open(nil).input == [:])
        #expect(try open([]).title == nil)
        let opening = try open([["input": ["tag": "v1"], "title": "Deploy v1"]])
        #expect(opening.input == ["tag": "v1"])
        #expect(opening.title == "Deploy v1")
        let longest = String(repeating: "\u{1F600}", count: 200)
        #expect(try open([["title": .string(longest)]]).title == longest)
        #expect(throws: ReportMessages.Mistakes.self) { try open([["title": .string(longest + "a")]]) }
        for bad: JSONValue in [7, [[:], [:]], ["input": 7], ["title": ""], ["title": "a\nb"], ["state": "x"]] {
            #expect(throws: ReportMessages.Mistakes.self, "\(bad)") { try open(bad) }
        }
    }

    @Test func `the three fields of a producer go together, and their numbers are whole`() throws {
        func stamp(_ id: String?, _ epoch: String?, _ number: String?) throws(Problem) -> ProducerStamp? {
            var fields: HTTPFields = [:]
            fields[.producerID] = id
            fields[.producerEpoch] = epoch
            fields[.producerNumber] = number
            return try ProducerHeaders.stamp(in: fields)
        }
        #expect(try stamp(nil, nil, nil) == nil)
        #expect(try stamp("p", "0", "9007199254740991") == ProducerStamp(id: "p", epoch: 0, number: .max))
        let bad: [(String?, String?, String?)] = [
            ("p", "0", nil), ("p", nil, "0"), (nil, "0", "0"), ("", "0", "0"), ("a b", "0", "0"), ("p", "-1", "0"),
            ("p", "01", "0"), ("p", "1.0", "0"), ("p", "0", "9007199254740992"), ("p", "0", "1e3"), ("p", "", "0"),
            (String(repeating: "p", count: 256), "0", "0"),
        ]
        for (id, epoch, number) in bad {
            #expect(throws: Problem.self, "\(id ?? "-") \(epoch ?? "-") \(number ?? "-")") {
                try stamp(id, epoch, number)
            }
        }
    }
}
