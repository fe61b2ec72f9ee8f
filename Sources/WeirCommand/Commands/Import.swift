import ArgumentParser
import Foundation
import WeirJournals
import WeirStates

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports the runs of exported files into the journal, each file completely or not at all.",
        discussion: """
            A run that is there already is left as it is; one that differs, or a file that is damaged, is refused with \
            the number of the line. A run that had not ended ends as interrupted. While a server is using the journal, go \
            through it: import on its page of runs, or by \
            `curl -F file=@FILE http://127.0.0.1:8080/api/v1/imports`.
            """,
        example: "weir import incident.jsonl --data case")

    @Argument(help: "The files.") var files: [String]
    @Flag(help: "Only show what is in the files.") var dryRun = false
    @Flag(help: "Also import runs that were deleted here, which are left out otherwise.") var restoreDeleted = false
    @Option(help: "The folder of the journal.") var data: String?
    @Option(help: "Where the journal is kept: sqlite, or the URL of a database.") var journal: String?
    @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

    func run() async throws {
        let settings = try Settings.inForce(flags: ["data": data, "journal": journal], config: config)
        let limit = settings.bytes("import.maximum-line") ?? LineReader.standardLimit
        try await explaining {
            if dryRun {
                for file in files { try look(into: file, limit: limit) }
            } else {
                try await take(into: settings, limit: limit)
            }
        }
    }

    private func take(into settings: Settings, limit: ByteCount) async throws {
        let folder = DataFolder(settings)
        try folder.make()
        let journal = try await JournalPlace(settings).open(in: folder, access: .writing)
        do {
            for file in files {
                let report = try await take(file, into: journal, limit: limit)
                print("\(file): \(Self.words(report))")
            }
        } catch {
            await journal.close()
            throw error
        }
        await journal.close()
    }

    private func look(into file: String, limit: ByteCount) throws {
        let reader = try BundleFile.reader(of: file, limit: limit)
        let contents: ExportContents
        do {
            contents = try ExportContents { try reader.next() }
        } catch let error as JournalError {
            throw StartError.malformed("\(file): \(error)")
        }
        print("\(file): of journal \(contents.epoch), written \(contents.created)")
        for run in contents.runs { print("  " + Self.words(run)) }
        print(contents.runs.count == 1 ? "1 run" : "\(contents.runs.count) runs")
    }

    private func take(_ file: String, into journal: any Journal, limit: ByteCount) async throws -> ImportReport {
        do {
            return try await JournalImport(
                into: journal, at: Timestamp(Date()), restoringDeleted: restoreDeleted
            ).lines {
                let reader = try BundleFile.reader(of: file, limit: limit)
                return { try reader.next() }
            }
        } catch let error as JournalError {
            switch error.code {
            case .malformed, .outOfOrder, .conflict, .tooNew: throw StartError.malformed("\(file): \(error)")
            default: throw StartError.unavailable("The journal cannot be written. \(error)")
            }
        }
    }

    private static func words(_ run: ExportContents.Run) -> String {
        let record = run.record
        return """
            \(record.id)  \(record.operation)  \(record.state.phase.rawValue)  \(record.startedAt)  \
            \(run.changes) changes, \(run.lines) lines, by \(record.opening.actor)
            """
    }

    private static func words(_ report: ImportReport) -> String {
        var words = [
            "\(report.imported.count) imported (\(report.changes) changes, \(report.lines) lines of output)",
            "\(report.skipped.count) here already",
        ]
        if !report.deleted.isEmpty { words.append("\(report.deleted.count) left out, because they were deleted here") }
        if !report.unfinished.isEmpty { words.append("\(report.unfinished.count) ended as interrupted") }
        return words.joined(separator: ", ")
    }
}
