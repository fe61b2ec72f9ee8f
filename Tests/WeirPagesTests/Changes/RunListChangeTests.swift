import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirPages

@Suite struct RunListChangeTests {
    private let runs: [RunView]

    init() throws {
        var fixture = try Fixture()
        for number in 0..<8 { _ = fixture.script.open("r\(number)", "copy", try StateRecord(CopyState.waiting)) }
        runs = fixture.script.runs.values.sorted { $0.record.id < $1.record.id }
    }

    private func ids(_ runs: [RunView]) -> [String] { runs.map(\.record.id) }

    @Test func `of lists that are the same, nothing is left`() {
        let change = RunListChange(from: runs, to: runs)
        #expect(change.before.isEmpty && change.after.isEmpty)
    }

    @Test func `what is new is left with its neighbours, and what is gone`() {
        let change = RunListChange(
            from: runs[1...6], to: [runs[0], runs[1], runs[2], runs[3], runs[7], runs[4], runs[5]])
        #expect(ids(change.before) == ["r1", "r3", "r4", "r6"])
        #expect(ids(change.after) == ["r0", "r1", "r3", "r7", "r4"])
    }

    @Test func `a run that has changed is another object, and is left in both lists`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        let old = try #require(fixture.script.runs["r"])
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[1]))
        let new = try #require(fixture.script.runs["r"])
        let change = RunListChange(from: [runs[0], runs[1], old, runs[2]], to: [runs[0], runs[1], new, runs[2]])
        #expect(ids(change.before) == ["r1", "r", "r2"] && change.before[1] === old)
        #expect(ids(change.after) == ["r1", "r", "r2"] && change.after[1] === new)
    }
}
