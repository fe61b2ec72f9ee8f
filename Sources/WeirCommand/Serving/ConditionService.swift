import Foundation
import Logging
import ServiceLifecycle
import WeirBoards
import WeirFiles
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates
import WeirTelemetry
import WeirWeb

/// Observes the conditions of the server and reports those that begin or end, until the server shuts down.
struct ConditionService: ServiceLifecycle.Service {
    private static let interval = Duration.seconds(1)
    /// How long before its end a certificate is reported, in milliseconds.
    private static let certificateNotice: Int64 = 14 * 86_400_000
    /// How long nothing is recorded before that is reported, in milliseconds.
    private static let recordingPatience: Int64 = 3_000

    /// How long the operation files of servers differ before that is reported: for the time of a change on all of them.
    private static let catalogPatience: Int64 = 30_000

    let board: Board
    let notifier: Notifier
    let folder: URL
    let minimumFree: Int64
    let certificate: ServerCertificate?
    let backups: BackupService
    let diskGuard: DiskGuard?
    let fileMistakes: @Sendable () -> [TemplateProblem]?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var differingSince: Timestamp?
            var failure: String?
            repeat {
                do {
                    try await notifier.take(await found(&differingSince))
                    if failure != nil { logger.notice("Conditions of the server are kept again.") }
                    failure = nil
                } catch {
                    guard !Task.isCancelled else { return }
                    let cause = "\(Quoted(error))"
                    if cause != failure {
                        logger.error("Conditions of the server cannot be kept.", metadata: ["cause": .string(cause)])
                    }
                    failure = cause
                    // No run starts then, so that no append to the journal frees the space.
                    if diskGuard?.isAlmostFull == true { diskGuard?.freeReserve() }
                }
            } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    private func found(_ differingSince: inout Timestamp?) async -> [ServerCondition.Kind: [String: String]] {
        let now = Timestamp(Date())
        var found: [ServerCondition.Kind: [String: String]] = [:]
        func note(_ kind: ServerCondition.Kind, _ sentence: String?) { found[kind] = sentence.map { ["": $0] } ?? [:] }
        switch board.recording {
        case .recording: note(.recording, nil)
        case .notRecorded(let since, let reason):
            if now - since >= Self.recordingPatience {
                note(.recording, "Nothing has been recorded since \(since): \(reason)")
            }
        }
        if let free = try? await WorkPool.files.run({ ProcessUsage.freeBytes(at: folder.path) }) {
            note(.disk, disk(free))
        }
        note(.backup, backup(backups.standing))
        note(
            .certificate,
            certificate.flatMap { $0.end - now < Self.certificateNotice ? Self.sentence(end: $0.end) : nil })
        if let mistakes = fileMistakes() { note(.files, Self.sentence(mistakes)) }
        note(
            .settings,
            board.refusedSettings.value.map {
                "The settings file of \($0.at) was refused, and the settings before it are in force. The log says why."
            })
        let others = board.serversWithOtherFiles
        differingSince = others.isEmpty ? nil : differingSince ?? now
        let isLong = differingSince.map { now - $0 >= Self.catalogPatience } ?? false
        note(.catalog, isLong ? Self.sentence(othersWithFiles: others) : nil)
        return found
    }

    private static func sentence(othersWithFiles others: [String]) -> String {
        "The operation files of this server differ from those of \(others.joined(separator: ", ")). Give all servers the same "
            + "files. The system page has a fingerprint of each server's files."
    }

    /// The sentence about a disk with too few free bytes; a condition that holds ends only with a tenth more.
    private func disk(_ free: Double) -> String? {
        let isLow = notifier.conditions.contains { $0.kind == .disk }
        let limit = Double(minimumFree) * (isLow ? 1.1 : 1)
        guard free < limit else { return nil }
        return
            "The file system of the data folder has \(Self.megabytes(free)) MB left, and \(Self.megabytes(Double(minimumFree))) MB "
            + "is the limit of disk.warn-below. Remove files, lower the retention or enlarge the file system."
    }

    private static func megabytes(_ bytes: Double) -> Int64 {
        Int64(exactly: (bytes / 1_000_000).rounded(.down)) ?? .max
    }

    private func backup(_ standing: BackupStanding) -> String? {
        if let problem = standing.problem { return problem }
        guard standing.isLate else { return nil }
        return
            "The schedule has passed twice since the last backup, which is of \(standing.last?.description ?? "no time"). "
            + "The log says why."
    }

    private static func sentence(end: Timestamp) -> String {
        "A certificate in tls.cert ends at \(end). Renew it, and reload the server with SIGHUP."
    }

    private static func sentence(_ mistakes: [TemplateProblem]) -> String? {
        guard let first = mistakes.first else { return nil }
        let more = mistakes.count > 1 ? " There are \(mistakes.count - 1) more, listed on the system page." : ""
        return "\(first.place) \(first.message)\(more)"
    }
}
