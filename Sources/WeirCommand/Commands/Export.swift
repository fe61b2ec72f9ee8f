import ArgumentParser
import Foundation
import WeirJournals
import WeirPages
import WeirStates

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes one run, or all runs that match the filters, to a file that any Weir can import.",
        discussion: """
            The file has every state and every line of output, as JSON lines. A server may be using the journal \
            meanwhile; of a run that is going, all there is so far is written.
            """,
        example: "weir export --operation backup --phase failed --since 2h -o incident.jsonl")

    @Argument(help: "The id of a run, or its end as pages show it; without it, all runs that match the filters.")
    var run: String?
    @Option(name: .shortAndLong, help: "The file to write; without it, standard output.") var output: String?
    @OptionGroup var only: RunFilterOptions
    @Option(help: "Only runs started at this time or later: 2026-11-21T12:00 (UTC), or 90m, 2h or 7d ago.")
    var since: [String] = []
    @Option(help: "Only runs started before this time.") var until: [String] = []
    @Option(help: "The folder of the journal.") var data: String?
    @Option(help: "Where the journal is kept: sqlite, or the URL of a database.") var journal: String?
    @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

    func validate() throws {
        try RunFilterOptions.check(since, of: "since")
        try RunFilterOptions.check(until, of: "until")
        let filters = only.values.map(\.value) + [since.first, until.first]
        guard run == nil || filters.allSatisfy({ $0 == nil }) else {
            throw ValidationError("Give a run or filters, not both.")
        }
        _ = try query(now: Timestamp(Date()))
    }

    func run() async throws {
        let settings = try Settings.inForce(flags: ["data": data, "journal": journal], config: config)
        try await explaining {
            let journal = try await JournalPlace(settings).open(in: DataFolder(settings), access: .reading)
            let file = try BundleFile(path: output)
            let summary = try await write(journal, to: file)
            try file.finish()
            await journal.close()
            complain("\(Self.words(summary)).")
        }
    }

    private func write(_ journal: any Journal, to file: BundleFile) async throws -> ExportSummary {
        let now = Timestamp(Date())
        let export = JournalExport(of: journal, created: now)
        do {
            guard let run else { return try await export.runs(try query(now: now), write: file.write) }
            if let summary = try await export.run(run, write: file.write) { return summary }
            let found = try await journal.runs(RunQuery(text: run, limit: RunName.searched)).runs.map(\.id)
            if let id = try RunName.only(of: found, endingIn: run),
                let summary = try await export.run(id, write: file.write)
            {
                return summary
            }
        } catch let error as JournalError {
            throw StartError.unavailable("The journal cannot be read. \(error)")
        } catch let error as ClientError {
            throw StartError.malformed(error.description)
        }
        throw StartError.missing("There is no run \(run ?? "") in the journal.")
    }

    private func query(now: Timestamp) throws -> RunQuery {
        let times = [("from", since.first), ("to", until.first)].map { name, text in
            (name: name, value: text.map { Self.moment($0, now: now) })
        }
        let values = (only.values + times).compactMap { name, value in value.map { (name, $0) } }
        let filter = RunFilter(parameters: Dictionary(values) { $1 })
        let mistaken = { (given: [String]) in given.first ?? "" }
        switch filter.mistake?.name {
        case "phase": throw ValidationError("There is no phase \"\(mistaken(only.phase))\".")
        case "from":
            throw ValidationError("--since \"\(mistaken(since))\" is not a time; write 2026-11-21T12:00 or 2h.")
        case "to": throw ValidationError("--until \"\(mistaken(until))\" is not a time; write 2026-11-21T12:00 or 2h.")
        case "attempt":
            throw ValidationError(
                "--attempt \"\(mistaken(only.attempt))\" is no attempt; write 2, or \">1\" for all retries.")
        case "text":
            throw ValidationError("--text \"\(mistaken(only.text))\" has no letter or digit, or more than 16 words.")
        default: return filter.query()
        }
    }

    /// Converts an age such as 2h into a time, and returns any other text unchanged.
    static func moment(_ text: String, now: Timestamp) -> String {
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count >= 0,
            count < 1_000_000
        else { return text }
        return Timestamp(milliseconds: now.milliseconds - count * unit).description
    }

    static func words(_ summary: ExportSummary) -> String {
        let runs = summary.runs == 1 ? "1 run" : "\(summary.runs) runs"
        return "\(runs): \(summary.changes) changes, \(summary.lines) lines of output"
    }
}

/// The destination of an export: a file, or standard output.
///
/// A file gets its name once it is complete, so it is never a partial export. An existing device or pipe is written to
/// directly.
final class BundleFile {
    private static let pieceSize = 64 * 1_024

    private let path: String?
    /// The temporary path until the file is complete, or nil if the destination is written to directly.
    private let draft: String?
    private let handle: FileHandle
    private var piece = Data()

    init(path: String?) throws(StartError) {
        self.path = path
        guard let path else {
            draft = nil
            handle = .standardOutput
            return
        }
        draft = Self.isSpecial(path) ? nil : path + ".part"
        guard draft.map({ FileManager.default.createFile(atPath: $0, contents: nil) }) ?? true,
            let handle = FileHandle(forWritingAtPath: draft ?? path)
        else {
            throw .unavailable("\(path) cannot be written. Choose a file in an existing folder that you can write.")
        }
        self.handle = handle
    }

    func write(_ line: String) throws(StartError) {
        piece.append(contentsOf: line.utf8)
        piece.append(UInt8(ascii: "\n"))
        if piece.count >= Self.pieceSize { try flush() }
    }

    /// Flushes the file and gives it its final name.
    func finish() throws(StartError) {
        try flush()
        guard let path else { return }
        do {
            try handle.close()
            guard let draft else { return }
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.moveItem(atPath: draft, toPath: path)
        } catch {
            throw .unavailable("\(path) cannot be written.")
        }
    }

    private static func isSpecial(_ path: String) -> Bool {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        return type.map { $0 != .typeRegular && $0 != .typeDirectory } ?? false
    }

    private func flush() throws(StartError) {
        do {
            try handle.write(contentsOf: piece)
        } catch {
            throw .unavailable("\(path ?? "Standard output") cannot be written: there may be no space left.")
        }
        piece.removeAll(keepingCapacity: true)
    }

    static func reader(of path: String, limit: ByteCount) throws(StartError) -> LineReader {
        do {
            return try LineReader(path: path, limit: limit)
        } catch RegularFile.Failure.notRegular {
            throw .missing(
                "\(path) is a folder, a pipe or a device. Save the export as a file first, since an import reads it twice."
            )
        } catch {
            throw .missing("\(path) cannot be read. Choose an existing file.")
        }
    }
}
