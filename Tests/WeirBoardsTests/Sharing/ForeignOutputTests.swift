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

    // K12
    @Test func `a run ends for all servers only after its last line, which holds up no other run`() async throws {
        let pair = try await BoardPair { catalog, node in
            catalog.add(TestOperation.quick, id: "quick", title: "quick", summary: "A test.")
            catalog.add(
                PrintingOperation { state, output in
                    await output.write("from \(node)", to: .standardOutput)
                    state.value = .success(text: node)
                }, id: "job", title: "job", summary: "A test.")
        }
        pair.journals[1].keepsNoOutput.withLock { $0 = true }
        let run = try await pair.second.start("job", input: [:], actor: "anna").run
        try await pair.beats { pair.second.runs[run]?.output?.failure != nil }
        let quick = try await pair.second.start("quick", input: [:], actor: "anna").run
        try await pair.beats { try await pair.first.run(quick).state.phase == .succeeded }
        try await pair.beats { pair.cluster.assignments.map(\.run) == [run] }
        for board in pair.boards { #expect(try await board.run(run).endedAt == nil) }
        pair.journals[1].keepsNoOutput.withLock { $0 = false }
        for board in pair.boards {
            try await pair.beats { try await board.run(run).state.phase == .succeeded }
            let tail = try await board.outputTail(of: run)
            #expect(tail.head == 1 && tail.isClosed)
        }
        try await pair.beats { pair.cluster.assignments.isEmpty }
        await pair.shutdown()
    }
}
