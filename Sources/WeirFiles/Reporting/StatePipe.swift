import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The named pipe for a program's state reports, whose path is in `WEIR_STATES`.
///
/// It lies in a private folder and is removed when the run ends.
final class StatePipe: Sendable {
    let path: String
    private let folder: URL
    private let pipe: CommandPipe
    /// Keeps the pipe open while no program has it open for writing.
    private let writer: Int32

    /// The number of reads, and whether a read is pending.
    private struct Reading: Equatable {
        var count = 0
        var isWaiting = false
    }
    private let reading = Mutex(Reading())
    /// The number of reads that empty a pipe of 1 MiB, the maximum size of a pipe.
    private static let mostPieces = 16

    private init(path: String, folder: URL, pipe: CommandPipe, writer: Int32) {
        self.path = path
        self.folder = folder
        self.pipe = pipe
        self.writer = writer
    }

    /// Creates a pipe, or returns nil on failure; the program then runs without one.
    ///
    /// A shared pipe is for a program of another user: all users who know its random path can write to it.
    static func make(
        in temporary: URL, isShared: Bool = false, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async
        -> StatePipe?
    {
        let folder = temporary.appending(path: "weir-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory)
        let path = folder.appending(path: "states").path
        guard mkdir(folder.path, 0o700) == 0 else { return nil }
        guard mkfifo(path, 0o600) == 0 else {
            rmdir(folder.path)
            return nil
        }
        if isShared {
            chmod(folder.path, 0o711)
            chmod(path, 0o622)
        }
        let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        // `CommandPipe` takes ownership of the reader, even if it throws.
        guard reader >= 0, let pipe = try? await CommandPipe.open(reader, on: group), writer >= 0 else {
            if writer >= 0 { close(writer) }
            unlink(path)
            rmdir(folder.path)
            return nil
        }
        return StatePipe(path: path, folder: folder, pipe: pipe, writer: writer)
    }

    /// Returns the next lines, or nil once the pipe is closed for writing.
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
        // Unsafe memory: the splitter reads between the buffer's ends, during the buffer's lifetime.
        buffer.withUnsafeReadableBytes { bytes in splitter.take(bytes) { lines.append($0.text) } }
        return lines
    }

    /// Closes and removes the pipe after the program's end; pending data can still be read.
    ///
    /// Another process that keeps the pipe open blocks the reader until `giveUp`.
    func finish() {
        close(writer)
        unlink(path)
        rmdir(folder.path)
    }

    /// Stops reading once a read is pending for the given time, or the initial contents of the pipe have been read.
    ///
    /// The time in which lines are processed does not count. Throws if the caller is cancelled.
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

    func giveUp() { pipe.close() }
}
