import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirPages

struct RunGroupTests {
    private static func list(
        _ messages: [String], _ parameters: [String: String] = ["phase": "failed"], total: RunTotal? = nil
    ) throws -> MarkupDocument {
        var fixture = try Fixture()
        for (index, message) in messages.enumerated() {
            _ = fixture.script.open("c\(index)", "copy", try StateRecord(CopyState.waiting))
            _ = fixture.script.move("c\(index)", try StateRecord(CopyState.failed(message: message)))
        }
        let runs = fixture.script.board.recentRuns.map(\.record).filter { $0.state.phase == .failed }
        let html = fixture.pages.runs(
            .init(runs: runs, next: nil), filter: RunFilter(parameters: parameters), total: total, frame: PageFrame())
        #expect(Markup.check(html, as: .document).isEmpty)
        return try MarkupDocument(html, as: .document)
    }

    @Test func `failures of one operation with the same message share a row, which unfolds to their runs`() throws {
        let page = try Self.list(["No rate.", "Full.", "No rate.", "No rate."], total: .exactly(4))
        let rows = try page.elements("//tbody[@id='runs']/tr")
        #expect(rows.count == 2 && rows.first?["class"] == "same" && rows.last?["id"] == "row-c1")
        #expect(
            try page.elements("//tr[@class='same']//details//tr").compactMap { $0["id"] } == [
                "row-c3", "row-c2", "row-c0",
            ])
        #expect(try page.elements("//summary/strong[.='3 × No rate.']").count == 1)
        #expect(try page.elements("//*[@role='status'][.='Total: 4']").count == 1)
    }

    @Test func `a list of all phases or in another order has a row for each run`() throws {
        for parameters in [["operation": "copy"], ["phase": "failed", "sort": "duration"]] {
            #expect(try Self.list(["No rate.", "No rate."], parameters).elements("//tr[@class='same']").isEmpty)
        }
    }

    @Test func `the journal counts the runs of a phase and an operation, and of no other filter`() {
        #expect(RunFilter(parameters: ["phase": "failed", "operation": "copy", "before": "7"]).isCounted)
        for (name, value) in [("actor", "me"), ("within", "7d"), ("text", "a"), ("from", "2026-11-21")] {
            #expect(!RunFilter(parameters: ["phase": "failed", name: value]).isCounted, "\(name)")
        }
    }
}
