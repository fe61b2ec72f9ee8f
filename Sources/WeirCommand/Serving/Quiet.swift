import Foundation
import Logging
import ServiceLifecycle
import WeirBoards
import WeirFiles
import WeirFlows
import WeirJournals
import WeirStates

/// The record of a quiet start in the data folder: nothing starts or is sent automatically until `weir resume`.
///
/// It keeps a restored copy quiet over restarts and crashes.
struct Quiet: Codable, Sendable, Hashable {
    var reason: QuietStart.Reason
    var since: Timestamp
    /// Set by `weir resume`: whether to discard what has waited; nil while quiet.
    var resumes: Bool?

    private static let name = "quiet.json"

    init(reason: QuietStart.Reason, since: Timestamp) { (self.reason, self.since) = (reason, since) }

    private static func file(_ folder: DataFolder) -> URL { folder.url.appending(path: name) }

    /// The record, or nil if there is none; an unreadable one counts as quiet.
    static func read(in folder: DataFolder) -> Quiet? {
        do {
            return try JSONValue(parsing: RegularFile.bytes(of: file(folder).path, limit: 4_096)).decode(Quiet.self)
        } catch RegularFile.Failure.missing {
            return nil
        } catch {
            return Quiet(reason: .copied, since: Timestamp(Date()))
        }
    }

    func write(in folder: DataFolder) throws {
        let file = Self.file(folder)
        let data = Data((try JSONValue(encoding: self).text() + "\n").utf8)
        try data.write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// Records that the quiet start is to end; returns false if there is none.
    @discardableResult static func resume(in folder: DataFolder, discarding: Bool) throws -> Bool {
        guard var quiet = read(in: folder) else { return false }
        quiet.resumes = discarding
        try quiet.write(in: folder)
        return true
    }

    static func remove(in folder: DataFolder) throws {
        guard FileManager.default.fileExists(atPath: file(folder).path) else { return }
        try FileManager.default.removeItem(at: file(folder))
    }
}

extension Quiet {
    /// Decides at a start whether it is quiet, and records that; logs how it ends.
    ///
    /// A copy stays quiet over restarts; a start that is quiet because of the setting does not.
    static func begin(
        _ settings: Settings, in folder: DataFolder, isCopy: Bool, now: Timestamp, logger: Logger
    ) throws -> QuietStart? {
        let known = read(in: folder)
        var quiet: Quiet?
        switch settings.text("quiet") {
        case "yes": quiet = Quiet(reason: .asked, since: now)
        case "no": quiet = nil
        default:
            // A journal that is copied again is quiet again.
            quiet = isCopy && known?.reason != .restored ? Quiet(reason: .copied, since: now) : known
            if quiet?.reason == .asked { quiet = nil }
        }
        guard let quiet else {
            try remove(in: folder)
            return nil
        }
        try quiet.write(in: folder)
        // `weir resume` was run while the server was stopped: `QuietService` ends the quiet start at once.
        guard quiet.resumes == nil else { return quiet.start }
        logger.warning(
            """
            The start is quiet: no schedule starts anything, no run of steps continues, and no message is sent until \
            `weir resume`.
            """, metadata: ["reason": "\(quiet.reason.words)", "since": "\(quiet.since)"])
        return quiet.start
    }

    private var start: QuietStart { QuietStart(reason, since: since) }
}

extension QuietStart.Reason {
    var words: String {
        switch self {
        case .asked: "it was asked for"
        case .copied: "the journal is a copy"
        case .restored: "a backup was restored"
        }
    }
}

/// Ends a quiet start when `weir resume` has been run.
struct QuietService: ServiceLifecycle.Service {
    private static let interval = Duration.seconds(1)

    let folder: DataFolder
    let board: Board
    let notifier: Notifier
    let logger: Logger
    let onResumed: @Sendable () -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var failure: String?
            while board.quiet.value != nil {
                do {
                    guard let discards = Self.resumption(in: folder) else {
                        try await Task.sleep(for: Self.interval)
                        continue
                    }
                    if discards { try await notifier.discardWaiting() }
                    try await board.endQuiet(skippingMissed: discards)
                    try Quiet.remove(in: folder)
                    onResumed()
                    logger.notice(
                        "The quiet start has ended.",
                        metadata: ["discarded": "\(discards ? "what has waited" : "nothing")"])
                } catch is CancellationError {
                    return
                } catch {
                    let cause = "\(Quoted(error))"
                    if cause != failure {
                        logger.error(
                            "The quiet start cannot end; it is tried again.", metadata: ["cause": .string(cause)])
                    }
                    failure = cause
                    // Cancelled together with this loop.
                    try? await Task.sleep(for: Self.interval)
                }
            }
        }
        try await gracefulShutdown()
    }

    /// Whether what has waited is discarded; nil unless the quiet start is to end.
    private static func resumption(in folder: DataFolder) -> Bool? {
        guard let quiet = Quiet.read(in: folder) else { return false }
        return quiet.resumes
    }
}
