package import Logging
import Synchronization

/// Keeps what is logged, for a test to read.
package final class CapturedLog: Sendable {
    private struct Line {
        let level: Logger.Level
        let message: String
        let metadata: String
    }

    private let level: Logger.Level
    private let list = Mutex<[Line]>([])

    /// Keeps what is logged at the level, and above.
    package init(level: Logger.Level = .debug) { self.level = level }

    /// What was logged: level, words, and metadata by name.
    package var lines: [String] { list.withLock { $0.map { "\($0.level) \($0.message)\($0.metadata)" } } }

    /// The words of what was logged; with a level, of what was logged at it.
    package func messages(at level: Logger.Level? = nil) -> [String] {
        list.withLock { $0.filter { level == nil || $0.level == level }.map(\.message) }
    }

    /// A handler that writes here.
    package var handler: some LogHandler { Handler(log: self, logLevel: level) }

    /// A logger that writes here.
    package var logger: Logger { Logger(label: "test") { _ in handler } }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            log.list.withLock {
                $0.append(Line(level: event.level, message: event.message.description, metadata: metadata))
            }
        }
    }
}
