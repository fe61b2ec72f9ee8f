import Foundation
import Synchronization
import WeirStates

/// The messages of a report, stored in two private files until the server has accepted them.
///
/// `RUN.jsonl` has the ``SpoolHeader`` in its first line, then one message per line. It is append-only; once all messages are
/// delivered, an empty file replaces it if it is long. `RUN.place` stores the position of sending. Only the holder of the lock
/// on the first file sends.
final class Spool: Sendable {
    /// The maximum number of messages per request.
    private static let batchMessages = 1_000
    /// The maximum size of a request in bytes; a single larger message is still sent.
    private static let batchBytes = 256 * 1_024

    /// The maximum size of a fully delivered file in bytes.
    private static let longestBytes: Int64 = 8 * 1_024 * 1_024

    private struct FirstLine: Codable {
        let header: SpoolHeader
        let base: Int64
    }

    struct Batch: Sendable, Hashable {
        let messages: [JSONValue]
        /// The end of the messages in the spool, in bytes.
        let end: Int64
        var isClosing: Bool { messages.last?["phase"] != nil }
        /// The number of recorded messages, which excludes a state that ends the run.
        var recorded: Int { messages.count { $0["phase"] == nil } }
    }

    let header: SpoolHeader
    let url: URL
    private let core: Mutex<Core>

    /// The open file.
    ///
    /// Positions count all bytes ever appended, including those no longer in the file.
    private struct Core {
        var file: FileHandle
        /// The size of the header in bytes.
        var start: Int64
        /// The position of the first message in the file.
        var base: Int64
        /// The position after the last message.
        var end: Int64

        /// Converts a position into an offset in the file.
        func offset(of place: Int64) -> Int64 { max(0, place - base) + start }
    }

    private init(_ url: URL, header: SpoolHeader, core: Core) {
        self.url = url
        self.header = header
        self.core = Mutex(core)
    }

    static func make(in folder: URL, header: SpoolHeader) throws(ClientError) -> Spool {
        let url = folder.appending(path: header.run + ".jsonl")
        do {
            let core = try begin(url, header, base: 0, flags: O_EXCL)
            return Spool(url, header: header, core: core)
        } catch {
            throw ClientError(
                .file, "The report cannot be kept in \(folder.path). Check the folder, or name another with --spool.")
        }
    }

    /// Creates and locks a file without messages.
    private static func begin(_ url: URL, _ header: SpoolHeader, base: Int64, flags: Int32) throws -> Core {
        let file = try PrivateFile.open(url, flags: O_RDWR | O_CREAT | O_APPEND | flags)
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { throw CocoaError(.fileLocking) }
        var line = try JSONEncoder().encode(FirstLine(header: header, base: base))
        line.append(10)
        try file.write(contentsOf: line)
        return Core(file: file, start: Int64(line.count), base: base, end: base)
    }

    /// Opens the spool of a previous process; nil if that process still runs, or the file is not a spool.
    ///
    /// Removes an incomplete last line.
    static func open(_ url: URL) -> Spool? {
        do {
            let file = try PrivateFile.open(url, flags: O_RDWR | O_APPEND)
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0,
                // The file may have been replaced before it was locked.
                RegularFile.isCurrent(file, at: url.path),
                let line = try lines(of: file, from: 0, limit: 1).first
            else { return nil }
            let first = try FirstLine(json: line.data)
            let length = try lastLineEnd(of: file)
            try file.truncate(atOffset: UInt64(clamping: length))
            guard (0...Int64.max / 2).contains(first.base) else { return nil }
            return Spool(
                url, header: first.header,
                core: Core(file: file, start: line.end, base: first.base, end: first.base + max(0, length - line.end)))
        } catch {
            return nil
        }
    }

    func append(_ messages: [JSONValue]) throws {
        var text = ""
        for message in messages { text += try message.text() + "\n" }
        let data = Data(text.utf8)
        try core.withLock { core in
            do {
                try core.file.write(contentsOf: data)
                core.end += Int64(data.count)
            } catch {
                // A full disk can cause a partial write.
                try core.file.truncate(atOffset: UInt64(clamping: core.offset(of: core.end)))
                throw error
            }
        }
    }

    /// Returns the messages of the request at a position, or nil if there are none.
    func batch(at place: SpoolPlace) throws -> Batch? {
        let core = core.withLock { $0 }
        let from = max(place.from, core.base)
        let end = place.through ?? core.end
        guard from < end else { return nil }
        let isNew = place.through == nil
        var (messages, last, size) = ([JSONValue](), from, 0)
        for line in try Self.lines(of: core.file, from: core.offset(of: from), limit: Self.batchMessages) {
            let place = line.end - core.start + core.base
            if place > end { break }
            size += line.data.count
            if isNew, size > Self.batchBytes, !messages.isEmpty { break }
            messages.append(try JSONValue(parsing: line.data))
            last = place
            // A closing message must be the last of its request.
            if messages.last?["phase"] != nil { break }
        }
        return messages.isEmpty ? nil : Batch(messages: messages, end: last)
    }

    // MARK: The place

    private var placeURL: URL { url.deletingPathExtension().appendingPathExtension("place") }

    /// The persisted position of sending.
    var place: SpoolPlace {
        guard let data = try? Data(contentsOf: placeURL) else { return SpoolPlace() }
        return (try? SpoolPlace(json: data)) ?? SpoolPlace()
    }

    /// Persists the position of sending atomically.
    func write(_ place: SpoolPlace) throws(ClientError) {
        do {
            try PrivateFile.replace(placeURL, with: try JSONEncoder().encode(place))
        } catch {
            throw ClientError(.file, "How far the report is sent cannot be kept in \(placeURL.path). Is the disk full?")
        }
    }

    /// Replaces the file by an empty one if it is long and fully delivered.
    func shorten(_ place: SpoolPlace) throws(ClientError) {
        let isLong = core.withLock { place.from == $0.end && $0.end - $0.base > Self.longestBytes }
        guard isLong else { return }
        try write(place)
        core.withLock { core in
            guard place.from == core.end else { return }
            let draft = url.appendingPathExtension("new")
            // If any step fails, the existing file stays valid.
            guard let empty = try? Self.begin(draft, header, base: core.end, flags: O_TRUNC),
                rename(draft.path, url.path) == 0
            else { return }
            core = empty
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
        try? FileManager.default.removeItem(at: placeURL)
    }

    // MARK: Lines

    private struct Line {
        let data: Data
        let end: Int64
    }

    /// Reads up to `limit` complete lines from an offset, bounded by the size of a few requests.
    private static func lines(of file: FileHandle, from start: Int64, limit: Int) throws -> [Line] {
        var lines: [Line] = []
        var pending = Data()
        var (place, read) = (start, start)
        while lines.count < limit, read - start < 4 * Int64(batchBytes) || lines.isEmpty {
            let piece = try bytes(of: file, from: read, count: 65_536)
            if piece.isEmpty { break }
            read += Int64(piece.count)
            pending.append(piece)
            while lines.count < limit, let feed = pending.firstIndex(of: 10) {
                let line = pending[pending.startIndex..<feed]
                place += Int64(line.count) + 1
                lines.append(Line(data: Data(line), end: place))
                pending = pending[pending.index(after: feed)...]
            }
        }
        return lines
    }

    /// The offset after the last complete line.
    private static func lastLineEnd(of file: FileHandle) throws -> Int64 {
        var end = Int64(clamping: try file.seekToEnd())
        while end > 0 {
            let start = max(0, end - 65_536)
            let piece = try bytes(of: file, from: start, count: Int(clamping: end - start))
            if let feed = piece.lastIndex(of: 10) {
                return start + Int64(piece.distance(from: piece.startIndex, to: feed)) + 1
            }
            end = start
        }
        return 0
    }

    /// Reads without changing the file offset that writers use.
    private static func bytes(of file: FileHandle, from place: Int64, count: Int) throws -> Data {
        var data = Data(count: max(0, count))
        // Unsafe memory: the read fills the buffer, and the buffer's size bounds it.
        let read = data.withUnsafeMutableBytes {
            pread(file.fileDescriptor, $0.baseAddress, $0.count, off_t(clamping: place))
        }
        guard read >= 0 else { throw CocoaError(.fileReadUnknown) }
        return data.prefix(read)
    }
}
