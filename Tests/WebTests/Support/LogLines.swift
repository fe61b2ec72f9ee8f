import Logging

/// Keeps what is logged, each line with its level.
final class LogLines: Sendable {
    private let list = Shared<[(level: Logger.Level, message: String)]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    /// What was logged at a level.
    func messages(at level: Logger.Level) -> [String] { list.value.filter { $0.level == level }.map(\.message) }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.list.value.append((event.level, event.message.description)) }
    }
}
