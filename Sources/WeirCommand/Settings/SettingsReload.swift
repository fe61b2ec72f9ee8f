import Foundation
import Logging
import Synchronization
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// Applies the live settings of a running server, and announces each change in the log and the audit.
final class SettingsReload: Sendable {
    private static let announced = 200

    private let started: Settings
    private let current: Mutex<Settings>
    private let folder: DataFolder
    private let audit: AuditLog
    private let logger: Logger
    private let refused: MutableStateFlow<RefusedSettings?>
    private let now: @Sendable () -> Timestamp

    /// Creates a reload; `refused` receives the reason why the latest settings were refused, for the pages.
    init(
        _ settings: Settings, folder: DataFolder, audit: AuditLog, refused: MutableStateFlow<RefusedSettings?>,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }, logger: Logger
    ) {
        started = settings
        current = Mutex(settings)
        (self.folder, self.audit, self.refused, self.now, self.logger) = (folder, audit, refused, now, logger)
    }

    /// The settings in force, with the latest values of those that require a restart.
    var inForce: Settings { current.withLock { $0 } }

    /// Announces the differences from the settings of the last start, and stores a summary for the next one.
    func begin() {
        _ = SettingsAcceptance(folder).take()
        let summary = SettingsSummary(started)
        if let last = SettingsSummary(file: folder.settings) {
            let changes = last.changes(to: summary)
            if !changes.isEmpty { logger.notice("The settings are not those of the last start.") }
            announce(changes)
        }
        keep(summary)
    }

    /// Reads the settings again and applies the live ones.
    ///
    /// Nothing changes if they contain a mistake, or if the file lacks keys in force and was not accepted.
    func reload(from sources: SettingSources, taking take: (Settings) -> Void) {
        let accepted = SettingsAcceptance(folder).take()
        let settings: Settings
        do {
            settings = try sources.read()
        } catch {
            for mistake in error.mistakes { logger.error("\(mistake)") }
            logger.error("The settings have mistakes and were not applied; the previous settings stay in force.")
            return refuse([], detail: "Refused, as the settings have mistakes, which are in the log.")
        }
        let before = inForce
        let lost = before.file?.lost(in: settings.file) ?? []
        guard lost.isEmpty || (settings.file != nil && settings.file?.hash == accepted) else {
            let keys = Self.names(lost)
            logger.error(
                """
                The settings file lacks keys in force and was not applied; the previous settings stay in force. Write each \
                key with its new value, or run `weir settings accept`, and reload again.
                """, metadata: ["lacks": .string(keys)])
            return refuse(lost, detail: "Refused, as the settings file lacks keys in force: \(keys).")
        }
        let summary = SettingsSummary(settings)
        let changes = SettingsSummary(before).changes(to: summary)
        let late = SettingsSummary(started).changes(to: summary).filter { !$0.isLive }
        // Announced before they take effect, so that no change goes unannounced.
        announce(changes)
        current.withLock { $0 = settings }
        take(settings)
        refused.value = nil
        keep(summary)
        logger.notice(
            "The settings were read again.",
            metadata: [
                "applied": .string(Self.names(changes.filter(\.isLive).map(\.key))),
                "after a restart": .string(Self.names(late.map(\.key))),
            ])
    }

    private func refuse(_ lost: [String], detail: String) {
        audit.record(.changeSettings, by: .system, outcome: .failed, detail: detail)
        refused.value = RefusedSettings(at: now(), lost: lost)
    }

    private func announce(_ changes: [SettingsChange]) {
        for change in changes.prefix(Self.announced) {
            logger.log(
                level: change.isOfRights ? .warning : .notice, "A setting was changed.",
                metadata: ["setting": "\(change.key)", "before": "\(change.before)", "after": "\(change.after)"])
            audit.record(
                .changeSettings, by: .system, subject: "setting:\(change.key)",
                detail: "before: \(change.before); after: \(change.after)")
        }
        guard changes.count > Self.announced else { return }
        let rest = Self.names(changes.dropFirst(Self.announced).map(\.key))
        logger.notice("Further settings were changed.", metadata: ["settings": .string(rest)])
        audit.record(.changeSettings, by: .system, detail: "Further settings were changed: \(rest)")
    }

    private func keep(_ summary: SettingsSummary) {
        do {
            try summary.write(to: folder.settings)
        } catch {
            logger.warning(
                "What the settings say cannot be kept in the data folder: the next start will not announce their changes.",
                metadata: ["cause": "\(Quoted(error))"])
        }
    }

    private static func names(_ keys: [String]) -> String { keys.isEmpty ? "none" : keys.joined(separator: ", ") }
}

/// The permission for the next reload to apply a settings file that lacks keys.
///
/// It is the file's hash, stored in the data folder in a file that only its owner can read.
struct SettingsAcceptance: Sendable {
    private let file: URL

    init(_ folder: DataFolder) { file = folder.url.appending(path: "accepted-settings") }

    func give(_ settings: SettingsFile) throws {
        try Data((settings.hash + "\n").utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// Returns the hash of the permitted file and removes the permission.
    func take() -> String? {
        guard let text = try? RegularFile.text(of: file.path, limit: 1_024) else { return nil }
        do {
            try FileManager.default.removeItem(at: file)
        } catch {
            return nil
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
