import Flows
import Logging
import TestSupport

/// Keeps what is logged, for a test to read.
final class CapturedLog: Sendable {
    private let list = Locked<[String]>([])

    /// What was logged: level, words, and metadata by name.
    var lines: [String] { list.withLock { $0 } }

    /// A logger that writes here.
    var logger: Logger { Logger(label: "test") { _ in Handler(book: self) } }

    private struct Handler: LogHandler {
        let book: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            book.list.withLock { $0.append("\(event.level) \(event.message)\(details)") }
        }
    }
}
