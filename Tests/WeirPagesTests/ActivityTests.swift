import MarkupTesting
import Testing
import WeirPages
import WeirStates

@Suite struct ActivityTests {
    @Test func `each run is one line with the states it passed through`() throws {
        var fixture = try Fixture()
        for sample in CopyState.samples.prefix(3) {
            _ = fixture.script.open("a", "copy", try StateRecord(CopyState.waiting))
            _ = fixture.script.move("a", try StateRecord(sample))
        }
        _ = fixture.script.open("b", "copy", try StateRecord(CopyState.waiting))
        #expect(try lines(fixture) == ["tail-b", "tail-a"])
    }

    @Test func `looking at what runs while watched is no news`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("a", "copy", try StateRecord(CopyState.waiting))
        for number in 0..<20 {
            _ = fixture.script.open("w\(number)", "watch", try StateRecord(WatchState.starting))
            _ = fixture.script.move(
                "w\(number)", try StateRecord(WatchState.cancelled(from: .starting)),
                cause: EndCause.unwatched.description)
        }
        #expect(try lines(fixture) == ["tail-a"])
        let run = try #require(fixture.script.runs["w0"])
        let page = fixture.pages.document(.run(run), cursor: Fixture.cursor, frame: PageFrame())
        let section = try MarkupDocument(page, as: .document).elements("//section[@id='run-w0']").first
        #expect(section?["class"] == "card run idle", "and that nobody looks any more is no warning")
    }

    private func lines(_ fixture: Fixture) throws -> [String] {
        let html = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: PageFrame())
        return try MarkupDocument(html, as: .document).elements("//ol[@id='tail']/li").compactMap { $0["id"] }
    }
}
