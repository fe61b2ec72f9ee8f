import Logging
import Synchronization

/// Applies the changed settings that a running server can apply.
final class SettingsReload: Sendable {
    private let started: Settings
    private let current: Mutex<Settings>
    private let logger: Logger

    /// - Parameters:
    ///   - settings: What the server was started with.
    ///   - logger: Says what was taken up and what was not.
    init(_ settings: Settings, logger: Logger) {
        started = settings
        current = Mutex(settings)
        self.logger = logger
    }

    /// Reads the settings again, and applies those that are live.
    ///
    /// If they have a mistake, nothing changes.
    func reload(from sources: SettingSources, taking take: (Settings) -> Void) {
        let settings: Settings
        do {
            settings = try sources.read()
        } catch {
            for mistake in error.mistakes { logger.error("\(mistake)") }
            logger.error("The settings have mistakes and were not applied; the previous settings stay in force.")
            return
        }
        let before = current.withLock { current in
            defer { current = settings }
            return current
        }
        let live = Setting.all.filter { $0.isLive && settings.text($0.key) != before.text($0.key) }
        let late = Setting.all.filter { !$0.isLive && settings.text($0.key) != started.text($0.key) }
        take(settings)
        logger.notice(
            "The settings were read again.",
            metadata: ["applied": Self.names(live), "after a restart": Self.names(late)])
    }

    private static func names(_ settings: [Setting]) -> Logger.MetadataValue {
        .string(settings.isEmpty ? "none" : settings.map(\.key).joined(separator: ", "))
    }
}
