import ArgumentParser
import Foundation
import Journals
import JournalsPostgres
import JournalsSQLite

/// `weir journal`: what is done to a whole journal.
struct JournalCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Moves a journal between a file and a PostgreSQL database.",
        subcommands: [Copy.self])
}

extension JournalCommands {
    /// `weir journal copy`: copies a journal into an empty one, and compares the two.
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies a whole journal into an empty one, and compares the two change by change.",
            discussion: """
                FROM and TO are a server's data folder, or the URL of a PostgreSQL database, postgres://USER@HOST/DATABASE. \
                Stop the servers of both first. A copy that is interrupted goes on where it was when the same command is \
                given again; until it is finished, no server starts with it. Every change keeps its sequence. The copy is \
                another history: open pages reload once.
                """)

        @Argument(help: "The journal to copy.") var from: String
        @Argument(help: "The empty journal to copy it into.") var to: String

        func run() async throws {
            do {
                let source = try await Self.open(from, isNew: false)
                do {
                    try await copy(source)
                } catch {
                    await source.close()
                    throw error
                }
                await source.close()
            } catch let error as StartError {
                complain(error.description)
                throw ExitCode(error.exitCode)
            }
        }

        private func copy(_ source: any CopiedJournal) async throws {
            let target = try await Self.open(to, isNew: true)
            do {
                let progress = CopyProgress(last: try await source.head())
                let summary = try await JournalCopy(of: source, into: target).run(progress: progress.show)
                await target.close()
                print(
                    "Copied and compared: \(summary.changes) changes, \(summary.runs) runs, \(summary.lines) lines of output."
                )
            } catch let error as JournalError {
                await target.close()
                let words = error.cause.map { " (\($0))" } ?? ""
                throw error.code == .conflict
                    ? StartError.malformed("\(error)")
                    : StartError.unavailable("The journal was not copied. \(error)\(words)")
            }
        }

        /// Opens a journal so that no server can use it meanwhile.
        private static func open(_ place: String, isNew: Bool) async throws(StartError) -> any CopiedJournal {
            if let mistake = PostgresAddress.isURL(place) ? Setting.mistake(inJournal: place) : nil {
                throw .misconfigured("The URL \(mistake)")
            }
            let folder = DataFolder(URL(filePath: place, directoryHint: .isDirectory))
            do {
                if PostgresAddress.isURL(place) {
                    return try await PostgresJournal.open(place, configuration: .init(readers: 1))
                }
                if isNew { try folder.make() }
                guard isNew || FileManager.default.fileExists(atPath: folder.journal) else {
                    throw StartError.missing("There is no journal in \(place). Give a server's data folder.")
                }
                return try await SQLiteJournal.open(at: folder.journal)
            } catch let error as StartError {
                throw error
            } catch {
                let cause = (error as? JournalError)?.cause.map { " (\($0))" } ?? ""
                let name = PostgresAddress.isURL(place) ? "in PostgreSQL" : "in \(place)"
                throw .unavailable("The journal \(name) cannot be opened. \(error)\(cause)")
            }
        }
    }
}

/// Shows on standard error how far a copy has come, now and then.
private struct CopyProgress {
    let last: SequenceNumber

    func show(_ step: JournalCopy.Step, _ sequence: SequenceNumber) {
        guard sequence.rawValue % 20_000 < 1_000 || sequence == last else { return }
        let words = step == .copying ? "copied" : "compared"
        complain("\(words) up to change \(sequence) of \(last)")
    }
}
