import Foundation
import Logging
import Synchronization
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// Applies the changed settings that a running server can apply, and announces each change in the log and the audit.
final class SettingsReload: Sendable {
    /// How many changes are announced one by one.
    private static let announced = 200

    private let started: Settings
    private let current: Mutex<Settings>
    private let folder: DataFolder
    private let audit: AuditLog
    private let logger: Logger
    private let refused: MutableStateFlow<RefusedSettings?>
    private let now: @Sendable () -> Timestamp

    /// Creates a reload.
    ///
    /// - Parameters:
    ///   - settings: The settings of the start.
    ///   - folder: The data folder, with the summary of the settings in force and the operator's acceptance of a file.
    ///   - audit: Records the changes.
    ///   - refused: Why the settings that were read last are not in force, for the pages.
    ///   - now: The time of day.
    ///   - logger: Reports the changes and the refusals.
    init(
        _ settings: Settings, folder: DataFolder, audit: AuditLog, refused: MutableStateFlow<RefusedSettings?>,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }, logger: Logger
    ) {
        started = settings
        current = Mutex(settings)
        (self.folder, self.audit, self.refused, self.now, self.logger) = (folder, audit, refused, now, logger)
    }

    /// The settings in force; of those that need a restart, the ones that were read last.
    var inForce: Settings { current.withLock { $0 } }

    /// Announces the differences to the settings of the last start, and stores a summary for the next start.
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

    /// Reads the settings again, and applies those that are live.
    ///
    /// If they have a mistake, or their file lacks a key that is in force and was not accepted as it is, nothing changes.
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
        // Before they are in force, so that nothing is lost that is not announced.
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

    /// Writes each change to the log and the audit.
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
