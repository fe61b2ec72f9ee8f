package import Foundation
import Synchronization
package import WeirStates

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is to be reported, in two files that only their owner can read, until the server has it.
///
/// `RUN.jsonl` has a line for each message, behind a first one with the ``SpoolHeader``. It only grows, until all of it has
/// arrived: then an empty one takes its place if it is long. `RUN.place` says how far it has been sent. Whoever holds the lock on the first is the only one who sends it.
package final class Spool: Sendable {
    /// The most messages of one request.
    private static let batchMessages = 1_000
    /// The most bytes of one request, but for a single message that is larger.
    private static let batchBytes = 256 * 1_024

    /// How long the file may be once all of it has arrived.
    private static let longestBytes: Int64 = 8 * 1_024 * 1_024

    /// The first line of the file.
    private struct FirstLine: Codable {
        let header: SpoolHeader
        let base: Int64
    }

    /// The messages of one request.
    package struct Batch: Sendable, Hashable {
        package let messages: [JSONValue]
        /// Where they end in the spool, in bytes.
        package let end: Int64
        /// Whether they end the run.
        package var isClosing: Bool { messages.last?["phase"] != nil }
        /// How many of them are recorded; a state that ends the run is not counted.
        package var recorded: Int { messages.count { $0["phase"] == nil } }
    }

    package let header: SpoolHeader
    package let url: URL
    private let core: Mutex<Core>

    /// Places are counted over all that was ever added, also what is in the file no more.
    private struct Core {
        var file: FileHandle
        /// How many bytes the header takes.
        var start: Int64
        /// The place of the first message in the file.
        var base: Int64
        /// The place behind the last message.
        var end: Int64

        /// Where a place is in the file.
        func offset(of place: Int64) -> Int64 { max(0, place - base) + start }
    }

    private init(_ url: URL, header: SpoolHeader, core: Core) {
        self.url = url
        self.header = header
        self.core = Mutex(core)
    }

    /// Makes a spool for a run.
    package static func make(in folder: URL, header: SpoolHeader) throws(ClientError) -> Spool {
        let url = folder.appending(path: header.run + ".jsonl")
        do {
            let core = try begin(url, header, base: 0, flags: O_EXCL)
            return Spool(url, header: header, core: core)
        } catch {
            throw ClientError(
                .file, "The report cannot be kept in \(folder.path). Check the folder, or name another with --spool.")
        }
    }

    /// Makes a file that has no messages yet, and locks it.
    private static func begin(_ url: URL, _ header: SpoolHeader, base: Int64, flags: Int32) throws -> Core {
        let file = try PrivateFile.open(url, flags: O_RDWR | O_CREAT | O_APPEND | flags)
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { throw CocoaError(.fileLocking) }
        var line = try JSONEncoder().encode(FirstLine(header: header, base: base))
        line.append(10)
        try file.write(contentsOf: line)
        return Core(file: file, start: Int64(line.count), base: base, end: base)
    }

    /// Opens a spool that another process left; nil while that process is at work, and for a file that is no spool.
    ///
    /// What it was writing when it ended is cut off if it is not a whole line.
    package static func open(_ url: URL) -> Spool? {
        do {
            let file = try PrivateFile.open(url, flags: O_RDWR | O_APPEND)
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0,
                // It may have been replaced before it was locked.
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

    /// Adds messages to the end.
    package func append(_ messages: [JSONValue]) throws {
        var text = ""
        for message in messages { text += try message.text() + "\n" }
        let data = Data(text.utf8)
        try core.withLock { core in
            do {
                try core.file.write(contentsOf: data)
                core.end += Int64(data.count)
            } catch {
                // Half of it may have been written, on a full disk.
                try core.file.truncate(atOffset: UInt64(clamping: core.offset(of: core.end)))
                throw error
            }
        }
    }

    /// The messages of the request at a place; nil while there are none.
    package func batch(at place: SpoolPlace) throws -> Batch? {
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
            // Nothing may follow it in one request.
            if messages.last?["phase"] != nil { break }
        }
        return messages.isEmpty ? nil : Batch(messages: messages, end: last)
    }

    // MARK: The place

    private var placeURL: URL { url.deletingPathExtension().appendingPathExtension("place") }

    /// How far it has been sent.
    package var place: SpoolPlace {
        guard let data = try? Data(contentsOf: placeURL) else { return SpoolPlace() }
        return (try? SpoolPlace(json: data)) ?? SpoolPlace()
    }

    /// Writes down how far it has been sent, in one step.
    package func write(_ place: SpoolPlace) throws(ClientError) {
        do {
            try PrivateFile.replace(placeURL, with: try JSONEncoder().encode(place))
        } catch {
            throw ClientError(.file, "How far the report is sent cannot be kept in \(placeURL.path). Is the disk full?")
        }
    }

    /// Replaces the file by an empty one, if it is long and all of it has arrived.
    package func shorten(_ place: SpoolPlace) throws(ClientError) {
        let isLong = core.withLock { place.from == $0.end && $0.end - $0.base > Self.longestBytes }
        guard isLong else { return }
        try write(place)
        core.withLock { core in
            guard place.from == core.end else { return }
            let draft = url.appendingPathExtension("new")
            // Whatever fails here, the file that is there stays good.
            guard let empty = try? Self.begin(draft, header, base: core.end, flags: O_TRUNC),
                rename(draft.path, url.path) == 0
            else { return }
            core = empty
        }
    }

    /// Removes both files: all of it has arrived.
    package func remove() {
        try? FileManager.default.removeItem(at: url)
        try? FileManager.default.removeItem(at: placeURL)
    }

    // MARK: Lines

    private struct Line {
        let data: Data
        let end: Int64
    }

    /// The whole lines from a place on, at most so many, or as many as a few requests could take.
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

    /// Where the last whole line ends.
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

    /// Reads without moving the place that other threads write at.
    private static func bytes(of file: FileHandle, from place: Int64, count: Int) throws -> Data {
        var data = Data(count: max(0, count))
        // Unsafe memory: what is read lies in the buffer, whose size bounds the read.
        let read = data.withUnsafeMutableBytes {
            pread(file.fileDescriptor, $0.baseAddress, $0.count, off_t(clamping: place))
        }
        guard read >= 0 else { throw CocoaError(.fileReadUnknown) }
        return data.prefix(read)
    }
}
