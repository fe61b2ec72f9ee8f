extension MemoryLog {
    mutating func importEntries(
        at now: Timestamp, _ next: () throws -> ExportedEntry?
    ) throws -> ImportReport {
        var fold = ImportFold()
        while let entry = try next() {
            switch try fold.step(entry, in: self) {
            case .add(let draft, let origin): add(draft, origin: origin)
            case .addLine(let run, let line): _ = try appendOutput(run: run, lines: [line])
            case .nothing: break
            }
        }
        let report = try fold.finish(in: self)
        for run in report.imported { markImported(run, at: now) }
        return report
    }
}

extension MemoryLog: ImportFold.Existing {
    func existingRun(_ id: String) -> RunRecord? { run(id) }

    func existingChange(of run: String, revision: Int64) -> Change? {
        changes(of: .run(run), after: 0, through: .max, limit: .max).first { $0.revision == revision }
    }

    func existingLine(of run: String, number: Int64) -> OutputLine? {
        output(of: run, after: number - 1, limit: 1).first
    }

    func existingLineCount(of run: String) -> Int64 { outputCount(of: run) }
}
