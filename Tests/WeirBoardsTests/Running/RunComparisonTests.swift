import Testing
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite struct RunComparisonTests {
    /// A run that began at 0 and entered these cases at these moments; the last one may be an end.
    private func run(
        _ id: String, _ cases: [(name: String, at: Int64)], input: JSONValue = [:]
    ) throws -> RunView {
        var view: RunView?
        for (index, entry) in cases.enumerated() {
            let phase: Phase = ["done": .succeeded, "broken": .failed][entry.name] ?? .active
            let change = Change(
                sequence: SequenceNumber(clamping: index + 1),
                draft: ChangeDraft(
                    stream: .run(id), subject: "deploy", revision: Int64(index), at: Timestamp(milliseconds: entry.at),
                    state: StateRecord(caseName: entry.name, payload: [:], phase: phase), isTransition: true,
                    opening: index == 0 ? RunOpening(actor: "ana", input: input) : nil))
            view = view?.applying(change) ?? RunView(opening: change)
        }
        return try #require(view)
    }

    @Test func `each state has the time spent in it, and the slower run the more`() throws {
        let first = try run("a", [("building", 0), ("testing", 100), ("done", 400)])
        let second = try run("b", [("building", 0), ("testing", 250), ("done", 300)])
        let comparison = RunComparison(first, second)
        #expect(comparison.steps.map(\.first?.duration) == [100, 300, nil])
        #expect(comparison.steps.map(\.second?.duration) == [250, 50, nil])
        #expect(comparison.steps.map(\.difference) == [150, -250, nil])
        #expect(comparison.parting == nil)
        #expect(RunComparison.length(of: first) == 400 && RunComparison.length(of: second) == 300)
    }

    @Test func `two runs part in the first state that they do not share, and an input of one alone differs`() throws {
        let first = try run("a", [("building", 0), ("testing", 5), ("broken", 9)], input: ["ref": "main", "level": 1])
        let second = try run("b", [("building", 0), ("done", 7)], input: ["ref": "main", "level": 2, "force": true])
        let comparison = RunComparison(first, second)
        #expect(comparison.parting == 1 && comparison.steps.count == 3)
        #expect(comparison.steps.map(\.isShared) == [true, false, false])
        #expect(comparison.steps[2].second == nil && comparison.steps[1].difference == nil)
        #expect(comparison.differingInput == ["force", "level"])
    }

    @Test func `a clock that was set back gives no state less than no time`() throws {
        let first = try run("a", [("building", 1_000), ("testing", 400), ("done", 500)])
        #expect(RunComparison(first, first).steps.map(\.first?.duration) == [0, 100, nil])
        #expect(RunComparison.length(of: first) == 0)
    }
}
