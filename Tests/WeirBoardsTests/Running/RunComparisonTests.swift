import Testing
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite struct RunComparisonTests {
    /// A run that began at 0 and entered these cases at these moments; the last one may be an end.
    private func run(
        _ id: String, _ cases: [(name: String, at: Int64)], input: JSONValue = [:],
        payload: JSONValue = [:]
    ) throws -> RunView {
        var view: RunView?
        for (index, entry) in cases.enumerated() {
            let phase: Phase = ["done": .succeeded, "broken": .failed][entry.name] ?? .active
            let change = Change(
                sequence: SequenceNumber(clamping: index + 1),
                draft: ChangeDraft(
                    stream: .run(id), subject: "deploy", revision: Int64(index), at: Timestamp(milliseconds: entry.at),
                    state: StateRecord(caseName: entry.name, payload: payload, phase: phase), isTransition: true,
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

    @Test func `the steps of two runs are compared by name, also if the graphs differ`() throws {
        let view = { (id: String, steps: [StepsProgress.Step]) in
            try run(id, [("done", 0)], payload: try JSONValue(encoding: StepsProgress(steps)))
        }
        let step = { (name: String, status: StepsProgress.Status, took: Int64) in
            var step = StepsProgress.Step(name, status)
            (step.began, step.ended) = (Timestamp(milliseconds: 5), Timestamp(milliseconds: 5 + took))
            step.run = name + "-\(took)"
            return step
        }
        var kept = step("build", .succeeded, 40)
        kept.doneIn = "a"
        var comparison = RunComparison(
            try view("a", [step("build", .succeeded, 30), step("lint", .succeeded, 7), step("test", .failed, 10)]),
            try view("b", [kept, step("test", .succeeded, 25), step("ship", .succeeded, 1)]))
        #expect(comparison.nodes.map(\.name) == ["build", "lint", "test", "ship"])
        #expect(comparison.nodes.map(\.difference) == [nil, nil, 15, nil])
        #expect(comparison.nodes.map(\.isSame) == [true, false, false, false])
        #expect(comparison.nodes[1].second == nil && comparison.nodes[3].first == nil)
        comparison.add(values: ["build-30": ["file": "x", "n": 1], "build-40": ["file": "y", "n": 1]])
        #expect(comparison.nodes[0].differingValues == ["file"] && !comparison.nodes[0].isSame)
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
