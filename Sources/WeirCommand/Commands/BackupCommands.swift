import ArgumentParser
import Foundation
import WeirFlows
import WeirJournals
import WeirStates

struct BackupCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Backs up a server to a file, while it runs or when it is stopped.",
        discussion: """
            The file has the journal, users and tokens, the audit, secrets, messages, uploaded files, and the settings and \
            operation files. It gets its name when it is complete. A backup has the secrets of the server: encrypt it with \
            --key-file, or keep it where only you can read it.
            """,
        subcommands: [Make.self, Verify.self], defaultSubcommand: Make.self)

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Makes a backup.",
            example: "weir backup /backups/weir.backup --data /var/lib/weir --key-file /etc/weir/backup.key")

        @Argument(help: "The file to write; an earlier backup of that name is replaced.") var file: String
        @Option(help: "A file with 16 to 1024 bytes with which the backup is encrypted.") var keyFile: String?
        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "Where the journal is kept: sqlite, or the URL of a database.") var journal: String?
        @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

        func run() async throws {
            umask(0o077)
            let settings = try Settings.inForce(
                flags: ["data": data, "journal": journal, "backup.key-file": keyFile], config: config)
            try await reporting {
                let key = try settings.text("backup.key-file").map { try BackupKey(file: $0) }
                let result = try await WorkPool.backups.run {
                    try BackupMaker(settings, config: config, key: key, now: Timestamp(Date())).make(file)
                }
                var record = BackupRecord()
                (record.made, record.bytes) = (result.manifest.created, result.bytes)
                record.keep(in: DataFolder(settings))
                for sentence in result.omitted { complain(sentence) }
                let words = key == nil ? "not encrypted" : "encrypted"
                print("\(file): \(ByteCount(clamping: result.bytes)), \(result.manifest.parts.count) files, \(words)")
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Restores a backup into a temporary folder, and compares it.",
            discussion: "Exits with 0 if the backup can be restored, and with 65 if not.",
            example: "weir backup verify /backups/weir.backup --key-file /etc/weir/backup.key")

        @Argument(help: "The file of the backup.") var file: String
        @Option(help: "The file with the key that the backup was encrypted with.") var keyFile: String?

        func run() async throws {
            umask(0o077)
            try await reporting {
                let verification = try await WorkPool.backups.run {
                    try BackupVerification(file, key: try keyFile.map { try BackupKey(file: $0) })
                }
                for line in verification.lines { print(line) }
                for fault in verification.faults { complain(fault) }
                guard verification.faults.isEmpty else { throw ExitCode(65) }
                print("The backup is in order.")
            }
        }
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restores a backup into a new or an empty data folder.",
        discussion: """
            Checks the whole backup before it writes anything. The first start of a server in the folder is quiet: nothing \
            starts and nothing is sent automatically until `weir resume`.
            """,
        example: "weir restore /backups/weir.backup --data /var/lib/weir-new")

    @Argument(help: "The file of the backup.") var file: String
    @Option(help: "The new data folder.") var data: String
    @Option(help: "The file with the key that the backup was encrypted with.") var keyFile: String?

    func run() async throws {
        umask(0o077)
        try await reporting {
            let target = URL(filePath: data, directoryHint: .isDirectory)
            let manifest = try await WorkPool.backups.run {
                let key = try keyFile.map { try BackupKey(file: $0) }
                return try BackupRestore(file, key: key, into: target).restore()
            }
            print("Restored the backup of \(manifest.created) into \(target.path).")
            if manifest.journalPlace == "postgresql" {
                print(
                    "The journal and the users were in PostgreSQL. Restore the database as well: pg_restore --dbname=DATABASE weir.dump"
                )
            }
            print("The settings and operation files of that time are in \(target.path)/configuration, for comparison.")
            print("The next start in this folder is quiet. When all is right, run: weir resume --data \(target.path)")
        }
    }
}

/// `weir resume`: ends a quiet start.
struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends a quiet start: schedules, runs of steps and messages continue.",
        discussion: """
            A running server notices it within a second; a stopped one at its next start. Without --discard, messages that \
            wait are sent, and schedules catch up as each of them says.
            """,
        example: "weir resume --data /var/lib/weir-new")

    @Flag(help: "Gives up the messages that wait, and does not make up for missed times of schedules.") var discard =
        false
    @Option(help: "The server's data folder.") var data: String?
    @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?

    func run() throws {
        umask(0o077)
        let folder = DataFolder(try Settings.inForce(flags: ["data": data], config: config))
        do {
            guard try Quiet.resume(in: folder, discarding: discard) else {
                complain("There is nothing to resume: the server in \(folder.url.path) is not quiet.")
                throw ExitCode(66)
            }
        } catch let error as ExitCode {
            throw error
        } catch {
            complain("The data folder \(folder.url.path) cannot be written. Run this as the server's user.")
            throw ExitCode(73)
        }
        print("The server resumes within a second, or at its next start.")
    }
}

/// Runs the body of a command as `explaining`; exits with 69 after any other error.
func reporting(_ body: () async throws -> Void) async throws {
    do {
        try await explaining(body)
    } catch let error as ExitCode {
        throw error
    } catch {
        complain(BackupMaker.words(error))
        throw ExitCode(69)
    }
}
