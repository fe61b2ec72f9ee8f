import Foundation
import MarkupTesting
import Testing
@testable import WeirBoards
@testable import WeirJournals
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

    private func markup(_ lines: OutputLine..., after context: [OutputLine] = []) -> OutputMarkup {
        var markup = OutputMarkup(after: context, whole: ("/runs/c1/output?line=", "show the whole line"))
        for line in lines { markup.add(line) }
        return markup
    }

    private func html(_ lines: OutputLine..., after context: [OutputLine] = []) -> String {
        lines.reduce(into: markup(after: context)) { $0.add($1) }.elements.map(\.html).joined()
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
            html(line("\u{1B}[1;31mno\u{1B}[0m"))
                == #"<li id="line-1" value="1"><span class="ansi-red ansi-bold">no</span></li>"#)
    }

    @Test(arguments: [
        ("\u{1B}[38;5;9mx", AnsiStyle.Color.red), ("\u{1B}[38;5;200mx", .cube(5, 0, 4)),
        ("\u{1B}[38;5;244mx", .cube(3, 3, 3)), ("\u{1B}[38;2;1;31;250mx", .cube(0, 1, 5)), ("\u{1B}[38:5:4mx", .blue),
        ("\u{1B}[38:2::255:0:0mx", .cube(5, 0, 0)), ("\u{1B}[38:2:1:255:0:0mx", .cube(5, 0, 0)),
        ("\u{9B}36mx", .cyan), ("\u{1B}[;33mx", .yellow), ("\u{1B}[?31mx", nil), ("\u{1B}[31 qx", nil),
        ("\u{1B}[38;5;256mx", nil), ("\u{1B}[38;2;999999999999;0mx", nil), ("\u{1B}[38;2;-5;9999;0mx", nil),
        ("\u{1B}[58;2;255;0;0mx", nil), ("\u{1B}[4:0mx", nil),
    ])
    func `a colour is one of eight or of a cube, or none`(line: String, color: AnsiStyle.Color?) {
        #expect(AnsiText(line).pieces == [.init(style: AnsiStyle(color: color), text: "x")])
    }

    @Test(arguments: [
        ("\u{1B}[41mx", "ansi-bg br4"), ("\u{1B}[38;2;255;128;0mx", "ansi-fg r5 g3"),
        ("\u{1B}[48;5;17mx", "ansi-bg bb1"), ("\u{1B}[7mx", "ansi-reverse"), ("\u{1B}[7;31mx", "ansi-bg br4"),
        ("\u{1B}[7;41mx", "ansi-reverse ansi-red"), ("\u{1B}[9;4mx", "ansi-underline ansi-strike"),
        ("\u{1B}[4:3mx", "ansi-underline"), ("\u{1B}[107;30mx", "ansi-black ansi-bg br5 bg5 bb5"),
    ])
    func `backgrounds, reversal and strokes are classes`(line: String, classes: String) {
        #expect(AnsiText(line).pieces.map(\.style.classes) == [classes])
    }

    @Test func `a colour that is left on continues in the next line of its channel, wherever the page begins`() {
        let lines = [
            line("\u{1B}[31mred", 1), line("plain", 2, .standardError), line("still red", 3),
            line("\u{1B}[0mover", 4),
        ]
        let red = #"<li id="line-3" value="3"><span class="ansi-red">still red</span></li>"#
        let plain = #"<li id="line-2" value="2" class="stderr">plain</li>"#
        let over = #"<li id="line-4" value="4">over</li>"#
        #expect(html(lines[1], lines[2], lines[3], after: [lines[0]]) == plain + red + over)
        #expect(markup(lines[0], lines[1], lines[2], lines[3]).elements.map(\.html).dropFirst() == [plain, red, over])
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
        let html = lines.map { self.html($0) }.joined()
        #expect(Markup.check("<ol>\(html)</ol>", as: .fragment) == [])
        for one in lines.map({ self.html($0) }) {
            let inner = one.dropFirst(one.prefix { $0 != ">" }.count + 1).dropLast("</li>".count)
            let bare = inner.replacing(
                /<span class="(ansi-[a-z]+ ?)+">|<a class="cut" href="[^"]*">|<\/span>|<\/a>/, with: "")
            #expect(!bare.contains("<") && one.utf8.count < 120_000)
        }
    }

    @Test func `a long line is cut where it is shown, and leads to all of it`() {
        let long = html(line(String(repeating: "x", count: 16_384), 7, continues: true))
        #expect(long.hasSuffix(#"x<a class="cut" href="/runs/c1/output?line=7">… show the whole line</a></li>"#))
        #expect(long.hasPrefix(#"<li id="line-7" value="7">x"#) && long.utf8.count < 2_200)
        #expect(!html(line(String(repeating: "x", count: 2_000))).contains("cut"))
    }

    @Test func `the pieces of a line are one line, also if another channel prints between them`() {
        let pieces = [
            line("\u{1B}[31ma", 1, continues: true), line("other", 2, .standardError), line("b", 3, continues: true),
            line("c\u{1B}[0m", 4), line("next", 5),
        ]
        let whole =
            #"<li id="line-1" value="1"><span class="ansi-red">a</span>"# + #"<span class="ansi-red">b</span>"#
            + #"<span class="ansi-red">c</span></li>"#
        let rest = [
            ##"<li id="line-3" value="3" class="piece"><a href="#line-1">…</a></li>"##,
            ##"<li id="line-4" value="4" class="piece"><a href="#line-1">…</a></li>"##,
            #"<li id="line-5" value="5">next</li>"#,
        ]
        let all = markup(pieces[0], pieces[1], pieces[2], pieces[3], pieces[4])
        #expect(all.elements.map(\.html) == [whole, #"<li id="line-2" value="2" class="stderr">other</li>"#] + rest)
        #expect(all.grownElements.isEmpty)
        let later = markup(pieces[2], pieces[3], pieces[4], after: Array(pieces.prefix(2)))
        #expect(later.elements.map(\.html) == rest)
        #expect(later.grownElements.map(\.html) == [whole])
    }

    @Test func `a page that begins within a line shows that it does, and not what belongs to the line`() {
        let part = markup(line("c", 9), line("next", 10), after: [line("b", 8, continues: true)])
        #expect(part.elements.map(\.html).last == #"<li id="line-10" value="10">next</li>"#)
        #expect(part.elements.first?.html == ##"<li id="line-9" value="9" class="piece"><a href="#line-8">…</a></li>"##)
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
        var scan = OutputScan(try #require(OutputSearch("b", part: .after(3), limit: 1)))
        for number in 3...6 { scan.take(line("<b>", SequenceNumber(clamping: number))) }
        let matches = scan.result
        let outputs = [
            PageOutput(tail: OutputTail(head: 1_206, lines: lines, isClosed: false), cursor: cursor),
            PageOutput(tail: OutputTail(head: 0, lines: [], isClosed: true), cursor: nil),
            PageOutput(tail: tail(1...1), cursor: nil), PageOutput(tail: tail(2...3), cursor: nil),
            PageOutput(
                tail: tail(2...3), cursor: nil,
                excerpt: .part(OutputPart(head: 9, isClosed: true, lines: [line("a", 4)], context: []), line: 4)),
            PageOutput(
                tail: tail(2...3), cursor: nil, excerpt: .matches(matches, lines: [line("\u{1B}[31m<b>", 4)]),
                search: "\"><b>", isErrorsOnly: true),
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
        #expect(steps[0].patches.first == .append(to: "output-lines", html: html(line("line 21", 21))))
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
        #expect(count.contains(#"data-head="1000">1,000 lines<"#))
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
