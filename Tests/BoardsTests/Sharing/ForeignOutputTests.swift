import Journals
import States
import Testing

@testable import Boards

/// What a server shows of the lines that runs print at another one.
@Suite struct ForeignOutputTests {
    @Test func `the last lines of a run are shown before its end`() async throws {
        let cluster = await ClusterDouble(recording: "a")
        let journal = SharedJournalDouble(cluster, node: "b")
        let feed = FeedTests.Source().feed
        let output = ForeignOutput(journal, feed: feed, catalog: Catalog()) { _ in true }
        let opening = RunOpening(actor: "anna", input: [:], report: RunReport(title: nil))
        for report in [
            Report(run: "r", operation: "deploy", reporter: "anna", opening: opening),
            Report(
                run: "r", operation: "deploy", reporter: "anna", entries: [.line("done", .standardOutput)],
                ending: .closed(nil)),
        ] {
            _ = try await journal.report([report], at: Timestamp(milliseconds: 1))
        }
        let changes = try await journal.changes(of: .run("r"), after: 0, through: nil, limit: 9)
        #expect(changes.last?.state.phase.isEnded == true)
        try await output.prepare(changes)
        #expect(feed.output(of: "r")?.lines.map(\.text) == ["done"])
        output.published(changes)
        #expect(feed.output(of: "r")?.isClosed == true)
    }

    @Test func `what runs print that were going when a server came is shown there`() async throws {
        let cluster = await ClusterDouble(recording: "a")
        let journal = SharedJournalDouble(cluster, node: "b")
        let feed = FeedTests.Source().feed
        let output = ForeignOutput(journal, feed: feed, catalog: Catalog()) { _ in true }
        let opening = RunOpening(actor: "anna", input: [:], report: RunReport(title: nil))
        let report = Report(
            run: "r", operation: "deploy", reporter: "anna", opening: opening,
            entries: [.line("half", .standardOutput)])
        _ = try await journal.report([report], at: Timestamp(milliseconds: 1))
        try await output.resume()
        #expect(feed.output(of: "r")?.isClosed == false)
    }
}
