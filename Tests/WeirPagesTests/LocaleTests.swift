import Testing
import TestSupport
import WeirJournals
import WeirStates

@testable import WeirPages

@Suite struct LocaleTests {
    private func format(_ locale: PageLocale) throws -> LocaleFormat { try Fixture().pages.writer(locale).format }

    // L4
    @Test func `every locale has every string`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        for locale in fixture.pages.locales {
            for page in fixture.everyPage(PageFrame(locale: locale)) {
                #expect(!page.html.contains("\u{27E8}"), "\(page.name) in \(locale) lacks a string")
            }
        }
    }

    // L4
    @Test func `numbers, sizes and durations are written as the locale does`() throws {
        let (english, portuguese) = (try format(.english), try format(.brazilianPortuguese))
        #expect(english.number(-1_234_567.25) == "\u{2212}1,234,567.25")
        #expect(portuguese.number(-1_234_567.25) == "\u{2212}1.234.567,25")
        #expect(english.number(0.5, decimals: 2) == "0.50" && english.number(-0.001, decimals: 2) == "0.00")
        #expect(english.bytes(999) == "999\u{A0}B" && english.bytes(31_400_000) == "31.4\u{A0}MB")
        #expect(portuguese.bytes(1_500) == "1,5\u{A0}kB" && english.bytes(999_960) == "1.0\u{A0}MB")
        #expect(english.percent(0.999) == "99\u{A0}%" && english.percent(1) == "100\u{A0}%")
        #expect(
            [999, 1_800, 59_949, 59_951, 3_725_000, 90_000_000].map(english.duration) == [
                "999\u{A0}ms", "1.8\u{A0}s", "59.9\u{A0}s", "1\u{A0}min 0\u{A0}s", "1\u{A0}h 2\u{A0}min",
                "1\u{A0}d 1\u{A0}h",
            ])
        #expect(portuguese.duration(1_800) == "1,8\u{A0}s")
        #expect([1, 24, 168].map(portuguese.wholeHours) == ["1\u{A0}h", "1\u{A0}d", "7\u{A0}d"])
        let moment = Timestamp(milliseconds: 1_795_262_584_123)
        #expect(english.exact(moment) == "21 Nov 2026, 12:03:04 UTC")
        #expect(portuguese.exact(moment) == "21 de nov. de 2026, 12:03:04 UTC")
    }

    @Test func `how long ago something was is said in its largest unit, as the client says it`() throws {
        var (english, portuguese) = (try format(.english), try format(.brazilianPortuguese))
        let moment = Timestamp(milliseconds: 1_795_262_584_123)
        #expect(english.ago(moment) == english.exact(moment), "of a page that is of no moment")
        let distances: [Int64] = [
            999, 1_000, 59_999, 60_000, 3_600_000, 86_400_000, 400 * 86_400_000, -61_000, -6_540_000, -86_399_000,
            -172_800_000, -999,
        ]
        let said = distances.map { distance in
            english.now = moment.after(distance)
            return english.ago(moment).replacing("\u{A0}", with: " ")
        }
        #expect(
            said == [
                "now", "1 s ago", "59 s ago", "1 min ago", "1 h ago", "1 d ago", "400 d ago", "in 1 min", "in 109 min",
                "in 24 h", "in 48 h", "now",
            ])
        portuguese.now = moment.after(300_000)
        #expect(portuguese.ago(moment) == "há 5\u{A0}min")
        let lasted = [-5, 8_100, 72_000, 3_661_000].map { (distance: Int64) in
            english.now = moment.after(distance)
            return english.elapsed(since: moment).replacing("\u{A0}", with: " ")
        }
        #expect(lasted == ["0 s", "8 s", "1 min 12 s", "1 h 1 min"])
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, 9.3e18, -9.3e18,
        1e15,
        .leastNonzeroMagnitude, -0.0,
    ])
    func `no number is too large to be written, drawn or measured`(number: Double) throws {
        let english = try format(.english)
        let value = NumberValue(digits: "\(number)", value: number, format: english)
        for transform in NumberValue.transforms { #expect(value.transform(transform) != nil, "\(transform)") }
        #expect(!value.renderText.isEmpty && !english.percent(number).isEmpty)
        for decimals in 0...4 { #expect(!english.number(number, decimals: decimals).isEmpty) }
        #expect(Sparkline([number, 0, number, -number], maximum: number).line.hasPrefix("M"))
        #expect(Sparkline([number]).area.hasSuffix("z"))
    }

    @Test func `no whole number or moment is too large to be written or drawn`() throws {
        let english = try format(.english)
        for number in [Int64.min, -1, 0, 59_951, .max - 499, .max] {
            #expect(!english.integer(number).isEmpty && !english.duration(number).isEmpty)
            #expect(TimeAxis.length(holding: number) > 0)
            let moment = Timestamp(milliseconds: number)
            #expect(!english.exact(moment).isEmpty && !CivilTime(moment).iso.isEmpty)
        }
        #expect(english.duration(.max) == "106,751,991,167\u{A0}d 7\u{A0}h")
        let moments = [Int64.min, .max].map { number in
            Scrubber.Moment(
                sequence: SequenceNumber(clamping: number), at: Timestamp(milliseconds: number), label: "", tone: "")
        }
        for scale in [Scrubber.Scale.time, .steps, .changes] {
            for order in [moments, moments.reversed()] {
                let ruler = Ruler(Scrubber(url: "", moments: order, scale: scale, head: .max), scale)
                for moment in order { #expect((0...ruler.length).contains(ruler.place(moment))) }
            }
        }
    }

    @Test func `a moment is written as ISO 8601 writes it`() {
        var random = SeededGenerator(seed: 9)
        for _ in 0..<300 {
            let moment = Timestamp(
                milliseconds: Int64.random(in: -9_000_000_000_000...9_000_000_000_000, using: &random))
            #expect(CivilTime(moment).iso == moment.description)
        }
    }

    // L4
    @Test func `a run is told in Portuguese, with the words of the text it grew from`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), input: ["name": "x"], actor: "ana")
        _ = fixture.script.move("r", StateRecord(caseName: "error", phase: .failed), after: 1_800)
        let html = fixture.pages.document(
            .run(try #require(fixture.script.runs["r"])), cursor: Fixture.cursor,
            frame: PageFrame(locale: .brazilianPortuguese))
        for words in [
            "lang=\"pt-BR\"", "Iniciada por ana", "executou por 1,8\u{A0}s", "Erro", "Linha do tempo",
            "Tentar novamente",
        ] {
            #expect(html.contains(words), "\(words)")
        }
    }

    @Test(
        arguments: [
            (nil, "pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"), (nil, "pt", "pt-BR"), (nil, "de, en-GB;q=0.5", "en"),
            (nil, "en;q=0.1, pt-PT;q=0.2", "pt-BR"), (nil, "pt;q=0, *", "en"), ("en", "pt-BR", "en"),
            ("xx", "pt-BR", "pt-BR"),
            ("PT-br", nil, "pt-BR"), (nil, nil, "en"), (nil, ";;,,=", "en"),
        ] as [(String?, String?, String)])
    func `a reader gets what they chose, or the best of what they accept`(
        choice: String?, header: String?, tag: String
    ) throws {
        #expect(try Fixture().pages.locale(choice: choice, acceptLanguage: header).tag == tag)
    }

    @Test func `a change of language keeps the page and its query`() throws {
        let fixture = try Fixture()
        let html = fixture.pages.gallery(frame: PageFrame(path: "/runs?text=a&lang=en&phase=failed"))
        #expect(html.contains("href=\"/runs?text=a&amp;phase=failed&amp;lang=pt-BR\""))
        let elsewhere = fixture.pages.gallery(frame: PageFrame(path: "//evil.example/?a=[%20\"]"))
        #expect(elsewhere.contains("href=\"/evil.example/?a=%5B%20%22%5D&amp;lang=pt-BR\""))
    }
}
