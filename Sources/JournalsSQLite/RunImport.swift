import GRDB
import Journals

/// Imports runs within one transaction.
final class RunImport {
    /// How many changes or lines are written together.
    private static let batch = 1_000

    private let database: Database
    private let now: Timestamp
    private var fold = ImportFold()
    private var writer: ChangeWriter?
    private var changesWaiting = 0
    private var lines: (run: String, drafts: [OutputDraft]) = ("", [])

    init(_ database: Database, at now: Timestamp) {
        self.database = database
        self.now = now
    }

    func run(_ next: () throws -> ExportedEntry?) throws -> ImportReport {
        while let entry = try next() {
            switch try fold.step(entry, in: self) {
            case .add(let draft, let origin): try add(draft, origin: origin)
            case .addLine(let run, let line): try add(line, to: run)
            case .nothing: break
            }
        }
        try flush()
        return try fold.finish(in: self)
    }

    private func add(_ draft: ChangeDraft, origin: ChangeOrigin?) throws {
        let writer = try writer ?? ChangeWriter(database, importedAt: now)
        self.writer = writer
        _ = try writer.add(draft, origin: origin)
        changesWaiting += 1
        if changesWaiting >= Self.batch { try flush() }
    }

    private func add(_ line: OutputDraft, to run: String) throws {
        if run != lines.run || lines.drafts.count >= Self.batch { try flush() }
        lines.run = run
        lines.drafts.append(line)
    }

    /// Writes what waits: the changes first, as lines need their run.
    private func flush() throws {
        try writer?.finish()
        writer = nil
        changesWaiting = 0
        if !lines.drafts.isEmpty { _ = try OutputTable(database).append(lines.drafts, to: lines.run) }
        lines.drafts = []
    }
}

extension RunImport: ImportFold.Existing {
    func existingRun(_ id: String) throws -> RunRecord? { try RunReader(database).run(id) }

    func existingChange(of run: String, revision: Int64) throws -> Change? {
        try ChangeReader(database).change(ofRun: run, revision: revision)
    }

    func existingLine(of run: String, number: Int64) throws -> OutputLine? {
        try OutputTable(database).lines(of: run, after: number - 1, limit: 1).first
    }

    func existingLineCount(of run: String) throws -> Int64 { try OutputTable(database).count(of: run) }
}
