import Testing
import WeirJournals
import WeirStates

@testable import WeirBoards

/// The report of a period.
@Suite struct PeriodReportTests {
    private static let day: Int64 = 86_400_000

    private func runs(
        _ operation: String, _ durations: [Int64], from start: Int64, phase: Phase = .succeeded, actor: String = "ana"
    ) -> [RunRecord] {
        durations.enumerated().map { index, duration in
            let began = Timestamp(milliseconds: start + Int64(index) * 1_000)
            return RunRecord(
                id: "\(operation)\(start)\(index)\(phase)", operation: operation,
                opening: RunOpening(actor: actor, input: [:]),
                state: StateRecord(caseName: "x", payload: ["message": "Full."], phase: phase), cause: nil, revision: 1,
                sequence: 2, openedSequence: SequenceNumber(clamping: start / 1_000 + Int64(index)), startedAt: began,
                endedAt: began.after(duration))
        }
    }

    private func report(_ runs: [RunRecord]) -> PeriodReport {
        PeriodReport(
            from: Timestamp(milliseconds: 10 * Self.day), to: Timestamp(milliseconds: 11 * Self.day), runs: runs,
            isCut: false, missed: [])
    }

    @Test func `failures are counted by operation, person and message, and runs before the period are not`() {
        let runs =
            runs("a", [5, 5], from: 10 * Self.day, phase: .failed) + runs("b", [5], from: 10 * Self.day, actor: "eve")
            + runs("a", [5], from: 9 * Self.day, phase: .failed)
        let report = report(runs)
        #expect(report.rows.map(\.operation) == ["a", "b"] && report.rows.map(\.figures.failed) == [2, 0])
        #expect(report.rows.first?.before.failed == 1 && report.figures.ended == 3)
        #expect(report.actors.map(\.name) == ["ana", "eve"] && report.actors.map(\.failed) == [2, 0])
        #expect(report.errors.map(\.count) == [2] && report.rows.first?.newestFailure?.id == "a8640000001failed")
    }

    @Test func `an operation is slower if enough runs took longer, and not for one outlier or too few runs`() {
        func isSlower(_ earlier: [Int64], _ later: [Int64]) -> Bool? {
            report(runs("a", earlier, from: 9 * Self.day) + runs("a", later, from: 10 * Self.day)).rows.first?.isSlower
        }
        let usual = (0..<12).map { 1_000 + Int64($0) * 10 }
        #expect(isSlower(usual, usual.map { $0 + 400 }) == true)
        #expect(isSlower(usual, usual) == false)
        #expect(isSlower(usual, usual.dropLast() + [60_000]) == false)
        #expect(isSlower(Array(usual.prefix(5)), usual.prefix(5).map { $0 + 400 }) == false)
        #expect(isSlower(usual.map { $0 + 400 }, usual) == false)
        #expect(isSlower(usual, usual.map { $0 + 60 }) == false, "less than a tenth")
    }

    @Test func `starts that did not happen are counted by operation and reason`() {
        let starts: [(operation: String, time: Int64, count: Int, refusal: String?)] = [
            ("a", 1, 1, "Busy."), ("b", 2, 1, nil), ("a", 3, 1, "Busy."), ("a", 4, 2, nil), ("a", 5, 3, nil),
        ]
        let missed = starts.map { start in
            PeriodReport.MissedStart(
                operation: start.operation, time: Timestamp(milliseconds: start.time), count: start.count,
                refusal: start.refusal)
        }
        let report = PeriodReport(
            from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 9), runs: [], isCut: false, missed: missed)
        #expect(report.missedByReason.map(\.operation) == ["a", "b", "a"])
        #expect(report.missedByReason.map(\.count) == [2, 1, 5])
        #expect(report.missedByReason.map(\.time.milliseconds) == [3, 2, 5])
    }

    @Test func `the rank test agrees with published probabilities, also with ties`() {
        // SciPy: mannwhitneyu(x, y, alternative="greater", method="asymptotic")
        let probability = RankTest.probability(later: [6, 7, 8, 9, 10], earlier: [1, 2, 3, 4, 5])
        #expect(abs(probability - 0.006093) < 0.00001)
        let tied = RankTest.probability(later: [2, 2, 3, 4], earlier: [1, 2, 2, 3])
        #expect(abs(tied - 0.176448) < 0.0001)
        #expect(RankTest.probability(later: [1, 1], earlier: [1, 1]) == 1)
        #expect(RankTest.probability(later: [], earlier: [1]) == 1)
    }
}
