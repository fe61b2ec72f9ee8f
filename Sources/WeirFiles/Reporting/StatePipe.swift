#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The named pipe in which a program reports states, as the file that `WEIR_STATES` names.
///
/// It lies in a folder of its own that only the server's user can enter, and is gone when the run is over.
final class StatePipe: Sendable {
    /// The path of the pipe.
    let path: String
    private let folder: URL
    private let pipe: CommandPipe
    /// Keeps the pipe open between two programs that write to it.
    private let writer: Int32

    /// How often its reader has waited for more, and whether it does now.
    private struct Reading: Equatable {
        var count = 0
        var isWaiting = false
    }
    private let reading = Mutex(Reading())
    /// After how many pieces a pipe of 1 MiB, the largest that a program can make it, has been read.
    private static let mostPieces = 16

    private init(path: String, folder: URL, pipe: CommandPipe, writer: Int32) {
        self.path = path
        self.folder = folder
        self.pipe = pipe
        self.writer = writer
    }

    /// Makes a pipe; nil where that is not possible, so that a program runs without one.
    static func make(in temporary: URL, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) async
        -> StatePipe?
    {
        let folder = temporary.appending(path: "weir-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory)
        let path = folder.appending(path: "states").path
        guard mkdir(folder.path, 0o700) == 0 else { return nil }
        guard mkfifo(path, 0o600) == 0 else {
            rmdir(folder.path)
            return nil
        }
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        // The pipe takes the reader over, and closes it too if it cannot be opened.
        guard reader >= 0, let pipe = try? await CommandPipe.open(reader, on: group), writer >= 0 else {
            if writer >= 0 { close(writer) }
            unlink(path)
            rmdir(folder.path)
            return nil
        }
        return StatePipe(path: path, folder: folder, pipe: pipe, writer: writer)
    }

    /// The next lines; nil when nobody can write any more.
    func next(_ splitter: inout LineSplitter) async -> [String]? {
        reading.withLock { $0 = Reading(count: $0.count + 1, isWaiting: true) }
        let buffer = await pipe.next()
        reading.withLock { $0.isWaiting = false }
        guard let buffer else {
            var last: [String] = []
            splitter.finish { last.append($0.text) }
            return last.isEmpty ? nil : last
        }
        var lines: [String] = []
        // Unsafe memory: the splitter reads between the buffer's two ends, while the buffer is there.
        buffer.withUnsafeReadableBytes { bytes in splitter.take(bytes) { lines.append($0.text) } }
        return lines
    }

    /// Ends it when the program has ended: what was written is still read.
    ///
    /// A program elsewhere that holds the pipe open would keep the reader waiting, which `giveUp` ends.
    func finish() {
        close(writer)
        unlink(path)
        rmdir(folder.path)
    }

    /// Reads no more once its reader has waited for that long, or has read more than the pipe held at first.
    ///
    /// While the reader is busy with what it has read, no time passes. Throws when the caller is cancelled.
    func giveUp(after patience: Duration, on clock: any Clock<Duration>) async throws {
        let first = reading.withLock { $0 }
        while true {
            let before = reading.withLock { $0 }
            try await clock.sleep(for: patience)
            let now = reading.withLock { $0 }
            if now == before, now.isWaiting { break }
            if now.count - first.count > Self.mostPieces { break }
        }
        giveUp()
    }

    /// Reads no more.
    func giveUp() { pipe.close() }
}
