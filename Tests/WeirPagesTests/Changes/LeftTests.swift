import Testing
import WeirJournals
import WeirStates

@testable import WeirPages

@Suite struct LeftTests {
    private static let expected = RunEstimate(cases: [
        "counting": .init(shortest: 8_000, longest: 11_000, right: 9, tried: 10)
    ])

    /// What pages say of a run that has been in its case for so long.
    private func left(_ locale: PageLocale = .english, after milliseconds: Int64) throws -> String {
        var fixture = try Fixture()
        let active = try StateRecord(CopyState.samples[1])
        let expected = RunEstimate(cases: [active.caseName: try #require(Self.expected.cases["counting"])])
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), expected: expected)
        _ = fixture.script.move("r", active, after: 10)
        _ = fixture.script.move("r", active, after: milliseconds)
        let run = try #require(fixture.script.runs["r"])
        let writer = fixture.pages.writer(locale)
        let fields = try #require(writer.left(run))
        #expect(writer.render("partials/run", writer.run(run, isAlone: true)).html.contains("data-left="))
        return writer.render("partials/left", fields).html
    }

    @Test func `what is left is told as of the change, with how often that was right`() throws {
        #expect(try left(after: 2_000).contains(">6\u{2013}9\u{A0}s left</time>"))
        #expect(try left(after: 2_000).contains("right for 9 of the last 10 runs"))
        #expect(try left(after: 2_001).contains(">5\u{2013}9\u{A0}s left</time>"))
        #expect(try left(after: 7_500).contains(">up to 4\u{A0}s left</time>"))
        #expect(try left(after: 11_000).contains(">longer than usual</time>"))
        let portuguese = try left(try #require(PageLocale("pt-BR")), after: 2_000)
        #expect(portuguese.contains(">faltam 6\u{2013}9\u{A0}s</time>"))
        #expect(portuguese.contains("acertou em 9 das \u{FA}ltimas 10 execu\u{E7}\u{F5}es"))
    }

    @Test func `nothing is told of a case without an estimate, or of a run that has ended`() throws {
        var fixture = try Fixture()
        let active = try StateRecord(CopyState.samples[1])
        let rest = try #require(Self.expected.cases["counting"])
        let expected = RunEstimate(cases: ["other": rest, "waiting": rest])
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), expected: expected)
        _ = fixture.script.move("r", active)
        let writer = fixture.pages.writer(.english)
        #expect(writer.left(try #require(fixture.script.runs["r"])).isNone)
        let ended = try #require(try CopyState.samples.map { try StateRecord($0) }.first { $0.phase == .succeeded })
        _ = fixture.script.open("e", "copy", active, expected: RunEstimate(cases: [ended.caseName: rest]))
        _ = fixture.script.move("e", ended)
        #expect(writer.left(try #require(fixture.script.runs["e"])).isNone)
    }
}

extension Fields? {
    fileprivate var isNone: Bool { self == nil }
}
