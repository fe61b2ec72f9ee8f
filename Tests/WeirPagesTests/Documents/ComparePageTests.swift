import MarkupTesting
import Testing
import WeirBoards
import WeirPages
import WeirStates

@Suite struct ComparePageTests {
    /// The page that compares a run of so many states with itself.
    private func page(states: Int) throws -> String {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        let samples = [CopyState.samples[1], CopyState.samples[3]]
        for number in 1..<states { _ = fixture.script.move("r", try StateRecord(samples[number % 2])) }
        let run = try #require(fixture.script.runs["r"])
        return fixture.pages.comparison(RunComparison(run, run), frame: PageFrame())
    }

    @Test func `a comparison that leaves states out says how many`() throws {
        let path = "//section[@aria-labelledby='compare-states']"
        let long = try MarkupDocument(try page(states: 63), as: .document)
        #expect(try long.elements(path + "//tbody/tr").count == 60)
        #expect(try long.elements(path + "/p").map(\.text) == ["3 more states are not shown."])
        let short = try MarkupDocument(try page(states: 60), as: .document)
        #expect(try short.elements(path + "//tbody/tr").count == 60)
        #expect(try short.elements(path + "/p").isEmpty)
    }
}
