import Testing
import WeirJournals
import WeirStates

@testable import WeirBoards

/// The last lines of output in messages, and the limits of receivers.
struct OutputExcerptTests {
    private func lines(_ texts: [(String, OutputChannel, continues: Bool)]) -> [OutputLine] {
        texts.enumerated().map { index, each in
            OutputLine(
                number: SequenceNumber(clamping: Int64(index + 1)),
                draft: OutputDraft(
                    at: Timestamp(milliseconds: 0), channel: each.1, text: each.0, continues: each.continues))
        }
    }

    private func lines(_ texts: [String]) -> [OutputLine] { lines(texts.map { ($0, .standardOutput, false) }) }

    @Test func `the newest twenty lines are shown, in order`() {
        let shown = OutputExcerpt.of(lines((1...30).map { "line \($0)" }))
        #expect(shown == (11...30).map { "line \($0)" })
        #expect(OutputExcerpt.of([]) == [])
    }

    @Test func `long lines are cut, and all together fit into what each receiver takes`() {
        let shown = OutputExcerpt.of(lines(Array(repeating: String(repeating: "ü", count: 5_000), count: 40)))
        #expect(!shown.isEmpty)
        #expect(shown.allSatisfy { $0.utf8.count <= 400 && $0.hasSuffix("ü…") })
        #expect(shown.joined(separator: "\n").utf8.count <= 2_500)
    }

    @Test func `pieces of a long line are one line, though the other channel prints between them`() {
        let shown = OutputExcerpt.of(
            lines([
                ("a", .standardOutput, true), ("warning", .standardError, false), ("b", .standardOutput, true),
                ("c", .standardOutput, false), ("end", .standardOutput, false),
            ]))
        #expect(shown == ["abc", "warning", "end"])
    }

    @Test func `colours, control characters and what was overwritten are left out`() {
        let shown = OutputExcerpt.of(
            lines([
                "\u{1B}[31mred\u{1B}[0m", "10 %\r 20 %", "bell\u{7}", "a\tb", "\u{1B}[", "",
                "\u{1B}]8;;https://x.y/\u{1B}\\link\u{1B}]8;;\u{1B}\\ \u{202E}txt", "\u{9B}1mbold",
            ]))
        #expect(shown == ["red", " 20 %", "bell", "a\tb", "", "", "link txt", "bold"])
    }

    @Test func `each format shows the lines of a failure, and those of a success only in the generic body`() throws {
        var facts = NotificationFacts(
            delivery: "r-1", event: .failed, operation: "backup", title: "Back up", run: "r", phase: .failed,
            message: String(repeating: "ü", count: 5_000), actor: "Ana", endedAt: 0)
        facts.output = ["one <two>", "three"]
        (facts.step, facts.stepTitle) = ("copy", "Copy all")
        let generic = NotificationFormat.generic(facts)
        #expect(generic["run"]?["output"] == ["one <two>", "three"])
        #expect(generic["run"]?["step"] == "copy" && generic["run"]?["stepTitle"] == "Copy all")
        let blocks = try #require(NotificationFormat.slack(facts)["blocks"]?.array)
        #expect(blocks.count == 4)
        #expect(blocks[2]["text"]?["type"] == "plain_text")
        #expect(blocks[2]["text"]?["text"] == "one <two>\nthree")
        let card = NotificationFormat.teams(facts)["attachments"]?.array?.first?["content"]?["body"]?.array
        #expect(card?.map { $0["text"] }.contains(#"one <two\>\#n\#nthree"#) == true)
        let text = NotificationFormat.ntfy(facts).body
        #expect(text.hasSuffix("\none <two>\nthree") && text.utf8.count <= 4_096)
        #expect(facts.value("output") == "one <two>\nthree" && facts.value("step") == "copy")
        #expect(facts.value("step_title") == "Copy all")
        facts.event = .recovered
        #expect(NotificationFormat.slack(facts)["blocks"]?.array?.count == 3)
        #expect(NotificationFormat.generic(facts)["run"]?["output"] == ["one <two>", "three"])
    }
}
