import Testing
@testable import WeirJournals
import WeirStates

@Suite struct OutputTests {
    private func lines(_ range: ClosedRange<Int>) -> [OutputDraft] {
        range.map { number in
            OutputDraft(
                at: .test(Int64(number)), channel: OutputChannel.allCases[number % 3],
                text: "\u{1B}[31mline\u{1B}[0m \u{0} \(number)", continues: number % 7 == 0)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `lines get numbers from 1 and read back as they were`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("a"), .opening("b")])
            #expect(try await journal.appendOutput(run: "a", lines: lines(1...10), after: nil) == 10)
            #expect(try await journal.appendOutput(run: "b", lines: lines(1...1), after: nil) == 1)
            #expect(try await journal.appendOutput(run: "a", lines: lines(11...25), after: nil) == 25)
            #expect(try await journal.appendOutput(run: "a", lines: [], after: nil) == 25)
            let all = try await journal.output(of: "a", after: 0, limit: 100)
            #expect(all.map(\.number) == Array(1...25))
            #expect(all.map(\.draft) == lines(1...25))
            #expect(all.allSatisfy { $0.text.unicodeScalars.contains("\u{0}") })
            #expect(try await journal.output(of: "a", after: 23, limit: 100).map(\.number) == [24, 25])
            #expect(try await journal.output(of: "a", after: 3, limit: 2).map(\.number) == [4, 5])
            #expect(try await journal.output(of: "a", after: 99, limit: 2).isEmpty)
            #expect(try await journal.output(of: "a", numbers: [2, 7, 25, 26]) == [1, 6, 24].map { all[$0] })
            #expect(try await journal.output(of: "c", numbers: [1]).isEmpty)
            #expect(try await journal.output(of: "a", after: 0, limit: 0).isEmpty)
            #expect(try await journal.outputCount(of: "a") == 25)
            #expect(try await journal.outputCount(of: "c") == 0)
        }
    }

    // K7
    @Test(arguments: JournalKind.allCases)
    func `lines with a place are appended once, however often, and nowhere else`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("a")])
            for _ in 0..<2 {
                #expect(try await journal.appendOutput(run: "a", lines: lines(1...3), after: 0) == 3)
            }
            for _ in 0..<2 {
                #expect(try await journal.appendOutput(run: "a", lines: lines(4...5), after: 3) == 5)
            }
            for after in [2, 4, 6] as [SequenceNumber] {
                let refusal = try await code {
                    try await journal.appendOutput(run: "a", lines: lines(6...6), after: after)
                }
                #expect(refusal == (after == 4 ? nil : .outOfOrder))
            }
            #expect(try await journal.output(of: "a", after: 0, limit: 100).map(\.draft) == lines(1...5))
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `output of an unknown run is refused`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let refusal = try await code { try await journal.appendOutput(run: "a", lines: lines(1...1), after: nil) }
            #expect(refusal == .outOfOrder)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `the ends of an ended run's output are found by their words`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let filler = (0..<100).map { _ in OutputDraft(at: .test(0), text: String(repeating: "x ", count: 2_000)) }
            func line(_ text: String) -> [OutputDraft] { [OutputDraft(at: .test(0), text: text)] }
            _ = try await journal.append([.opening("a")])
            let lines = line("alpha") + filler + line("middle") + filler + line("omega")
            _ = try await journal.appendOutput(run: "a", lines: lines, after: nil)
            func found(_ text: String) async throws -> Int { try await journal.runs(RunQuery(text: text)).runs.count }
            #expect(try await found("alpha") == 0)
            _ = try await journal.append([.step("a", 1, phase: .succeeded)])
            #expect(try await found("alpha") == 1)
            #expect(try await found("omega alpha") == 1)
            #expect(try await found("middle") == 0)
        }
    }

    @Test func `a line that is too long is cut into pieces that continue, and no byte is lost`() {
        let line = String(repeating: "aé\u{1F469}\u{200D}\u{1F4BB}", count: 4_000)
        let pieces = OutputDraft.pieces(of: line, at: .test(0), channel: .standardError)
        #expect(pieces.count > 1)
        #expect(pieces.allSatisfy { $0.text.utf8.count <= OutputDraft.maximumBytes })
        #expect(pieces.map(\.text).joined().utf8.elementsEqual(line.utf8))
        #expect(pieces.map(\.continues) == Array(repeating: true, count: pieces.count - 1) + [false])
        #expect(OutputDraft.pieces(of: "", at: .test(0)).map(\.text) == [""])
        let parts = OutputDraft.pieces(of: line, at: .test(0), continues: true)
        #expect(parts.map(\.continues) == Array(repeating: true, count: pieces.count))
        #expect(OutputDraft(at: .test(0), text: line).text == pieces[0].text)
    }

    @Test func `pieces are joined to the line that was printed, and never to a line of another channel`() {
        var joiner = OutputJoiner()
        let pieces: [(String, OutputChannel, Bool)] = [
            ("a", .standardOutput, true), ("b", .standardOutput, false), ("c", .standardOutput, true),
            ("x", .standardError, false), ("d", .standardOutput, true), ("e", .standardOutput, true),
        ]
        let text = pieces.map { joiner.text($0.0, on: $0.1, continues: $0.2) }.joined()
        #expect(text == "ab\nc\nx\nde")
    }
}
