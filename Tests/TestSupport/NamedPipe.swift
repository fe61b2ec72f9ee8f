package import Foundation

/// A pipe with a name, where something expects a file.
///
/// Whoever opens it and waits finds nothing in it, and so is found out without hanging a test.
package final class NamedPipe: Sendable {
    private let path: String

    /// Makes it at a path where nothing is.
    package init(at file: URL) throws {
        path = file.path
        guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        Thread.detachNewThread { [path] in
            // Waits for somebody to open it.
            _ = FileHandle(forWritingAtPath: path)
        }
    }

    /// Lets the thread go, if nobody has.
    deinit {
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if reader >= 0 { close(reader) }
    }
}
