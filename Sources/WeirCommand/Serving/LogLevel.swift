import Logging
import Synchronization

/// The log level, which can change while the server runs.
final class LogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ settings: Settings) { level = Mutex(Self.level(in: settings)) }

    var value: Logger.Level { level.withLock { $0 } }

    func take(_ settings: Settings) { level.withLock { $0 = Self.level(in: settings) } }

    private static func level(in settings: Settings) -> Logger.Level {
        settings.text("log-level").flatMap(Logger.Level.init(rawValue:)) ?? .info
    }
}

/// Forwards messages at or above the current level to another handler.
struct LeveledLogHandler<Base: LogHandler>: LogHandler {
    private var base: Base
    private let level: LogLevel
    /// The level of this logger, if it was set explicitly.
    private var own: Logger.Level?

    init(_ base: Base, level: LogLevel) {
        (self.base, self.level) = (base, level)
        self.base.logLevel = .trace
    }

    var logLevel: Logger.Level {
        get { own ?? level.value }
        set { own = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { base.log(event: event) }
}
