import ArgumentParser
import Foundation
import WeirAccess
import WeirJournals
import WeirPostgres
import WeirStates

struct JournalCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Checks a journal, or moves it between a file and a PostgreSQL database.",
        subcommands: [Check.self, Copy.self])
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
                another history: open pages reload once. Users, tokens and sessions are copied only if you say so, into a place \
                that has none; uploaded files and the audit stay.
                """,
            example: "weir journal copy weir-data 'postgres://weir@db.example/weir'")

        @Argument(help: "The journal to copy.") var from: String
        @Argument(help: "The empty journal to copy it into.") var to: String
        @Flag(help: "Also copies users, tokens, links, sessions and saved views.") var users = false

        func run() async throws {
            try await explaining {
                let source = try await Self.open(from, isNew: false)
                do {
                    try await copy(source)
                } catch {
                    await source.close()
                    throw error
                }
                await source.close()
            }
        }

        private func copy(_ source: any CopiedJournal) async throws {
            let target = try await Self.open(to, isNew: true)
            do {
                let progress = CopyProgress(last: try await source.head())
                let summary = try await JournalCopy(of: source, into: target).run(progress: progress.show)
                let people = users ? try await copyUsers(source, target) : nil
                await target.close()
                print(
                    "Copied and compared: \(summary.changes) changes, \(summary.runs) runs, \(summary.lines) lines of output."
                )
                if let people { print(people) }
            } catch let error as JournalError {
                await target.close()
                let words = error.cause.map { " (\($0))" } ?? ""
                throw error.code == .conflict
                    ? StartError.malformed("\(error)")
                    : StartError.unavailable("The journal was not copied. \(error)\(words)")
            } catch {
                await target.close()
                throw error
            }
        }

        /// Copies the users and returns a sentence that describes the result.
        private func copyUsers(_ source: any Journal, _ target: any Journal) async throws -> String {
            func files(_ place: String) -> AccessFiles {
                AccessFiles(DataFolder(URL(filePath: place, directoryHint: .isDirectory)))
            }
            do {
                let transfer = AccessTransfer(
                    from: try files(from).storage(beside: source), into: try files(to).storage(beside: target))
                switch try await transfer.copy() {
                case .nothing: return "There are no users to copy."
                case .occupied: return "The users were not copied: there are some already."
                case .copied(let users, let tokens): return "Copied \(users) users and \(tokens) tokens."
                }
            } catch {
                throw StartError.unavailable("The journal was copied, but its users were not. \(error.explanation)")
            }
        }

        /// Opens a journal exclusively, so that no server can use it.
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

/// Prints the progress of a copy to standard error at intervals.
private struct CopyProgress {
    let last: SequenceNumber

    func show(_ step: JournalCopy.Step, _ sequence: SequenceNumber) {
        guard sequence.rawValue % 20_000 < 1_000 || sequence == last else { return }
        let words = step == .copying ? "copied" : "compared"
        complain("\(words) up to change \(sequence) of \(last)")
    }
}

extension JournalCommands {
    /// `weir journal check`: checks a journal's file while a server may be using it.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the whole file of a journal, also while a server uses it.",
            discussion: "Exits with 0 if the file is in order, and with 65 if not. Changes nothing.",
            example: "weir journal check --data /var/lib/weir")

        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "Where the journal is kept: sqlite, or the URL of a database.") var journal: String?
        @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

        func run() async throws {
            let settings = try Settings.inForce(flags: ["data": data, "journal": journal], config: config)
            try await reporting {
                guard case .file = JournalPlace(settings) else {
                    throw StartError.misconfigured(
                        "The journal is not in a file. For PostgreSQL, use the tools of the database, such as pg_amcheck."
                    )
                }
                let folder = DataFolder(settings)
                guard FileManager.default.fileExists(atPath: folder.journal) else {
                    throw StartError.missing(
                        "There is no journal in \(folder.url.path). Name the server's folder with --data.")
                }
                let (found, faults) = try JournalInspection.check(path: folder.journal)
                for fault in faults { complain(fault) }
                print(
                    "journal \(found.epoch), format \(found.format): \(found.runs) runs, \(found.changes) changes up to "
                        + "\(found.head), \(found.lines) lines of output")
                guard faults.isEmpty else { throw ExitCode(65) }
                print("The journal is in order.")
            }
        }
    }
}

struct AuditCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Looks after the audit.", subcommands: [Verify.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Holds the audit's files against their hash chain.",
            discussion: """
                Exits with 0 when nothing was changed, taken out or put in before the end, with 1 otherwise, and with 66 when \
                there is no audit. Somebody who can write the files can write the whole chain anew, or cut off its end: only \
                a head that was kept elsewhere shows that.
                """,
            example: "weir audit verify --data /var/lib/weir")
        @Option(help: "A head that was kept elsewhere, NUMBER:HASH; the audit must go through it.") var head: String?
        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

        func run() async throws {
            let settings = try Settings.inForce(flags: ["data": data], config: config)
            let folder = AccessFiles(DataFolder(settings)).audit
            let verification: AuditVerification
            do {
                verification = try AuditVerification(folder: folder, known: head)
            } catch {
                complain("The audit in \(folder.path) cannot be read.")
                throw ExitCode(66)
            }
            for fault in verification.faults { complain(fault.description) }
            // A server writes an entry as soon as it opens the audit.
            guard verification.entries > 0 || !verification.faults.isEmpty else {
                complain("There is no audit in \(folder.path). Name the server's data folder with --data.")
                throw ExitCode(66)
            }
            if verification.lost > 0 {
                complain(
                    "The audit lacks \(verification.lost) entries, which could not be written; entries of the action "
                        + "lose say when.")
            }
            print("\(verification.entries) entries, head \(verification.head)")
            if !verification.faults.isEmpty { throw ExitCode(1) }
        }
    }
}
