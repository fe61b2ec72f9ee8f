import Foundation
import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirPages

@Suite struct OutputTests {
    private func text(_ line: String) -> String { AnsiText(line).pieces.map(\.text).joined() }

    private func line(
        _ text: String, _ number: SequenceNumber = 1, _ channel: OutputChannel = .standardOutput,
        continues: Bool = false
    ) -> OutputLine {
        OutputLine(
            number: number,
            draft: OutputDraft(
                at: Timestamp(milliseconds: number.rawValue), channel: channel, text: text, continues: continues))
    }

    private func tail(_ numbers: ClosedRange<SequenceNumber>, isClosed: Bool = false) -> OutputTail {
        OutputTail(head: numbers.upperBound, lines: numbers.map { line("line \($0)", $0) }, isClosed: isClosed)
    }

    @Test func `colours and weights become classes`() {
        #expect(
            AnsiText("a \u{1B}[1;31mred\u{1B}[0m \u{1B}[4;92mgreen\u{1B}[39m only under\u{1B}[m end").pieces == [
                .init(style: AnsiStyle(), text: "a "),
                .init(style: AnsiStyle(color: .red, isBold: true), text: "red"),
                .init(style: AnsiStyle(), text: " "),
                .init(style: AnsiStyle(color: .green, isUnderlined: true), text: "green"),
                .init(style: AnsiStyle(isUnderlined: true), text: " only under"),
                .init(style: AnsiStyle(), text: " end"),
            ])
        #expect(
            OutputMarkup(line("\u{1B}[1;31mno\u{1B}[0m")).html
                == #"<li id="line-1" value="1"><span class="ansi-red ansi-bold">no</span></li>"#)
    }

    @Test(arguments: [
        ("\u{1B}[38;5;9mx", AnsiStyle.Color.red), ("\u{1B}[38;5;200mx", nil), ("\u{1B}[38;2;1;31;3mx", nil),
        ("\u{1B}[38:5:4mx", .blue), ("\u{1B}[48;5;31mx", nil), ("\u{1B}[41mx", nil), ("\u{9B}36mx", .cyan),
        ("\u{1B}[;33mx", .yellow), ("\u{1B}[?31mx", nil), ("\u{1B}[31 qx", nil),
    ])
    func `a colour is one of eight, or none`(line: String, color: AnsiStyle.Color?) {
        #expect(AnsiText(line).pieces == [.init(style: AnsiStyle(color: color), text: "x")])
    }

    @Test func `what a sequence switches on, its opposite switches off, and nothing else`() {
        let bold = AnsiStyle(isBold: true)
        #expect(
            AnsiText("\u{1B}[1;4ma\u{1B}[24mb\u{1B}[2;3;4mc\u{1B}[23;24;22md").pieces == [
                .init(style: AnsiStyle(isBold: true, isUnderlined: true), text: "a"), .init(style: bold, text: "b"),
                .init(
                    style: AnsiStyle(isBold: true, isFaint: true, isItalic: true, isUnderlined: true), text: "c"),
                .init(style: AnsiStyle(), text: "d"),
            ])
    }

    // L2
    @Test(arguments: [
        ("\u{1B}]0;title\u{07}a", "a"), ("\u{1B}]8;;http://evil/\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"),
        ("\u{1B}[2Ja\u{1B}[10;10Hb", "ab"), ("\u{1B}Pq#0;2;0;0;0\u{1B}\\a", "a"), ("a\u{1B}", "a"), ("a\u{1B}[", "a"),
        ("a\u{1B}[31", "a"), ("\u{1B}]never ends", ""), ("\u{1B}(Ba", "a"), ("a\u{08}b\u{07}\u{00}", "ab"),
        ("10 %\r20 %\r30 %", "30 %"), ("done\r", "done"), ("\r\r", ""), ("a\tb", "a\tb"),
        ("\u{202E}evil\u{2066}x\u{2069}", "evilx"), ("a\u{FFFE}b", "a\u{FFFD}b"), ("\u{1B}[31\u{1B}[32mx", "x"),
    ])
    func `of every other sequence nothing is left`(line: String, shown: String) {
        #expect(text(line) == shown)
    }

    // L2
    @Test func `a hostile line is text and nothing else`() throws {
        let hostile = [
            "<script>alert(1)</script>", "<\u{338}img src=x onerror=y>", "\"'&amp;\u{1B}[31m</span></li><b>",
            String(decoding: [0x61, 0xFF, 0xFE, 0x3C] as [UInt8], as: UTF8.self), "\u{1B}[1;31;\"><script>m",
            String(repeating: "e\u{301}", count: 20_000), String(repeating: "\u{1B}[31m<", count: 5_000),
        ]
        let lines = hostile.enumerated().map {
            line($0.element, SequenceNumber(clamping: $0.offset + 1), .standardError)
        }
        let html = lines.map { OutputMarkup($0).html }.joined()
        #expect(Markup.check("<ol>\(html)</ol>", as: .fragment) == [])
        for one in lines.map({ OutputMarkup($0).html }) {
            let inner = one.dropFirst(one.prefix { $0 != ">" }.count + 1).dropLast("</li>".count)
            let bare = inner.replacing(/<span class="(ansi-[a-z]+ ?)+">|<span class="cut">|<\/span>/, with: "")
            #expect(!bare.contains("<") && one.utf8.count < 120_000)
        }
    }

    @Test func `a long line is cut where it is shown, and says so`() {
        let html = OutputMarkup(line(String(repeating: "x", count: 16_384), 7, continues: true)).html
        #expect(html.hasSuffix(#"x<span class="cut">…</span></li>"#) && html.utf8.count < 2_200)
        #expect(html.hasPrefix(#"<li id="line-7" value="7" class="continues">"#))
        #expect(!OutputMarkup(line(String(repeating: "x", count: 2_000))).html.contains("cut"))
    }

    // L1, L4
    @Test(arguments: [PageLocale.english, .brazilianPortuguese])
    func `a run's page shows its newest lines, keeps the rules, and looks as it was reviewed`(locale: PageLocale) throws
    {
        var fixture = try Fixture()
        try fixture.fill()
        let run = try #require(fixture.script.runs["c1"])
        let lines = [
            line("* Looking up example.com", 1_200, .notice), line("> GET / HTTP/1.1", 1_201),
            line("< \u{1B}[1;32mHTTP/1.1 200 OK\u{1B}[0m", 1_202), line("careful <b>", 1_203, .standardError),
            line("", 1_204), line("the beginning of", 1_205, continues: true), line(" a long one", 1_206),
        ]
        let cursor = PageCursor(
            epoch: "k3f9", sequence: 1_206, next: "/live/1/output-c1/k3f9/1206/1",
            now: "/live/1/output-c1/k3f9/1206/now", snap: "/live/1/output-c1/snap", after: nil)
        let outputs = [
            PageOutput(tail: OutputTail(head: 1_206, lines: lines, isClosed: false), cursor: cursor),
            PageOutput(tail: OutputTail(head: 0, lines: [], isClosed: true), cursor: nil),
            PageOutput(tail: tail(1...1), cursor: nil), PageOutput(tail: tail(2...3), cursor: nil),
        ]
        for output in outputs {
            let html = fixture.pages.document(
                .run(run), cursor: Fixture.cursor, frame: PageFrame(locale: locale), output: output)
            #expect(Markup.check(html, as: .document) == [])
        }
        let html = fixture.pages.region(outputs[0], of: "c1", locale: locale)
        let snapshots = MarkupSnapshots(suite: "OutputTests")
        #expect(throws: Never.self) { try snapshots.verify(html, as: .fragment, named: "output.\(locale.tag)") }
    }

    @Test func `a page without output has no place for it`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        let run = try #require(fixture.script.runs["c1"])
        #expect(!fixture.pages.document(.run(run), cursor: Fixture.cursor, frame: PageFrame()).contains("data-feed"))
    }

    @Test func `what follows is appended in steps, and the last one counts`() throws {
        let pages = try Fixture().pages
        let page = LivePage(.output("c1"))
        let steps = pages.patches(for: tail(1...250), after: 20, page: page)
        #expect(steps.map(\.number) == [120, 220, 250])
        #expect(steps.map(\.patches.count) == [100, 100, 31])
        #expect(steps[0].patches.first == .append(to: "output-lines", html: OutputMarkup(line("line 21", 21)).html))
        guard case .morph("output-count", let count)? = steps[2].patches.last else {
            return #expect(Bool(false), "the last step does not count")
        }
        #expect(count.contains("250 lines"))
        #expect(pages.patches(for: tail(1...250), after: 250, page: page).isEmpty)
    }

    @Test func `whoever is too far behind gets the newest lines in place of all`() throws {
        let pages = try Fixture().pages
        let steps = pages.patches(for: tail(501...1_000), after: 499, page: LivePage(.output("c1")))
        #expect(steps.map(\.number) == [1_000])
        guard case .morph("output-lines", let list)? = steps.first?.patches.first,
            case .morph("output-count", let count)? = steps.first?.patches.last
        else { return #expect(Bool(false), "the list is not replaced") }
        #expect(list.contains("line-501\"") && list.contains("line-1000\"") && !list.contains("line-500\""))
        #expect(count.contains("1,000 lines · 500 earlier lines are not shown"))
        #expect(pages.patches(for: tail(501...1_000), after: 500, page: LivePage(.output("c1"))).count == 5)
    }

    @Test func `an output's feed has a name of its own in each language`() throws {
        let pages = try Fixture().pages
        for name in ["output-01jabc", "output-01jabc--pt-br"] {
            #expect(pages.page(feedName: name)?.feedName == name)
            #expect(pages.page(feedName: name)?.topic == .output("01jabc"))
        }
        #expect(pages.page(feedName: "output-") == nil)
    }
}
