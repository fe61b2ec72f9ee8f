import ArgumentParser
import Foundation
import WeirAccess

/// `weir audit`: what was written down of who did what.
struct AuditCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Looks after the audit.", subcommands: [Verify.self])

    /// `weir audit verify`.
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Holds the audit's files against their hash chain.",
            discussion: """
                Exits with 0 when nothing was changed, taken out or put in before the end, and with 1 otherwise. Somebody who \
                can write the files can write the whole chain anew, or cut off its end: only a head that was kept elsewhere \
                shows that.
                """)
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
            print("\(verification.entries) entries, head \(verification.head)")
            if !verification.faults.isEmpty { throw ExitCode(1) }
        }
    }
}
