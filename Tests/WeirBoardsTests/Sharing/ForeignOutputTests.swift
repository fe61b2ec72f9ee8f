import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// What a server shows of the lines that runs print at another one.
@Suite(.timeLimit(.minutes(15))) struct ForeignOutputTests {
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

    @Test func `what a run prints is recorded though its end is known long before, and the run is given back then`()
        async throws
    {
        let pair = try await BoardPair { catalog, node in
            catalog.add(
                PrintingOperation { state, output in
                    await output.write("from \(node)", to: .standardOutput)
                    state.value = .success(text: node)
                }, id: "job", title: "job", summary: "A test.")
        }
        pair.journals[1].keepsNoOutput.withLock { $0 = true }
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        try await pair.beats { try await pair.first.run(run).state.phase == .succeeded }
        for _ in 0..<5 { try await pair.beat() }
        #expect(pair.cluster.assignments.map(\.run) == [run])
        pair.journals[1].keepsNoOutput.withLock { $0 = false }
        try await pair.beats { try await pair.journals[0].outputCount(of: run) == 1 }
        try await pair.beats { pair.cluster.assignments.isEmpty }
        await pair.shutdown()
    }
}
