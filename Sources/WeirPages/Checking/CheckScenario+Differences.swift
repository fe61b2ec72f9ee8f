import WeirBoards
import WeirJournals
import WeirStates

extension CheckScenario {
    /// Renders acknowledged failures and missing starts, for a time and until they end, and the forms with a note.
    func acknowledged(_ board: BoardView, _ entry: CatalogEntry) {
        var writer = self.writer
        let (planned, late) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: .max / 2))
        let firing = ScheduleStanding.Firing(time: planned, at: late, run: nil, refusal: "x")
        let missing = [entry.id] + (writer.wholes.map(\.id).filter { $0 != entry.id })
        for id in missing { writer.withoutStart[id] = ScheduleStanding("", from: planned, last: firing) }
        for fields in [writer.acknowledgePage(entry.id, on: board), writer.pausePage(entry.id)].compactMap(\.self) {
            _ = writer.region("pages/note", fields, title: writer.title(""), frame: PageFrame())
        }
        for (note, until) in [("x", planned), (nil, nil)] as [(String?, Timestamp?)] {
            writer.acknowledged[entry.id] = Acknowledgement(
                by: "x", at: planned, note: note, until: until, failure: SequenceNumber(clamping: Int64.max),
                unstartedSince: planned)
            _ = writer.render("partials/attention", writer.attentionFields(writer.attention(of: board)))
        }
    }

    /// A board with more active runs than its page lists, or nil if no operation has an active state.
    func busyBoard() -> BoardView? {
        for entry in writer.catalog.entries {
            let views = SampleViews(entry).views
            guard let active = views.first(where: { $0.record.state.phase == .active }) else { continue }
            // Never traps: the limit is a constant above zero.
            let runs = Array(repeating: active, count: PageWriter.workingLimit + 1)
            let operation = OperationView(id: entry.id, recent: runs, activeRuns: runs.count)
            return BoardView(sequence: 1, operations: [operation], recentRuns: [])
        }
        return nil
    }

    /// A comparison of two runs with outputs and files that differ, that are equal, and that are not recorded.
    static func differences(_ runs: RunComparison) -> [RunComparison] {
        let at = Timestamp(milliseconds: 0)
        let lines = ["x", "y"].map { OutputLine(number: 1, draft: OutputDraft(at: at, text: $0)) }
        let versions = [
            OperationVersion(digest: "x", since: at), OperationVersion(digest: "y", since: Timestamp(milliseconds: 1)),
        ]
        var changed = OperationFileChange(versions, at, Timestamp(milliseconds: 1))
        let hidden = changed
        (changed.firstText, changed.secondText) = ("x", "y")
        let files = [
            changed, hidden, OperationFileChange([], at, at), OperationFileChange(versions, at, at),
        ]
        return files.map { file in
            var runs = runs
            runs.output = OutputComparison([lines[0]], [file.isChanged ? lines[1] : lines[0]])
            runs.file = file
            return runs
        }
    }

    /// Renders a report with all its parts, and an empty one.
    func report() {
        let at = Timestamp(milliseconds: 0)
        let entry = writer.catalog.entries.first
        let runs = entry.map { SampleViews($0).views.map(\.record) } ?? []
        let missed = [nil, "x"].map {
            PeriodReport.MissedStart(operation: entry?.id ?? "x", time: at, count: 2, refusal: $0)
        }
        for (runs, missed) in [(runs, missed), ([], [])] {
            let report = PeriodReport(
                from: at, to: at.after(1), runs: runs, isCut: !runs.isEmpty, missed: missed,
                attempts: runs.isEmpty ? [] : [AttemptCount(operation: "x", attempt: 2, count: 3)])
            _ = writer.region("pages/report", writer.reportPage(report), title: writer.title(""), frame: PageFrame())
        }
    }
}
