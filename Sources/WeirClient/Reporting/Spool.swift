package import Foundation
package import States
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is to be reported, in two files that only their owner can read, until the server has it.
///
/// `RUN.jsonl` has a line for each message, the first being the ``SpoolHeader``; it only grows. `RUN.place` says how far
/// that has been sent. Whoever holds the lock on the first is the only one who sends it.
package final class Spool: Sendable {
    /// The most messages of one request.
    private static let batchMessages = 1_000
    /// The most bytes of one request, but for a single message that is larger.
    private static let batchBytes = 256 * 1_024

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
    private let start: Int64
    private let file: FileHandle
    private let length: Mutex<Int64>

    private init(_ url: URL, header: SpoolHeader, start: Int64, length: Int64, file: FileHandle) {
        self.url = url
        self.header = header
        self.start = start
        self.file = file
        self.length = Mutex(length)
    }

    /// Makes a spool for a run.
    package static func make(in folder: URL, header: SpoolHeader) throws(ClientError) -> Spool {
        let url = folder.appending(path: header.run + ".jsonl")
        do {
            let file = try PrivateFile.open(url, flags: O_RDWR | O_CREAT | O_EXCL | O_APPEND)
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { throw CocoaError(.fileLocking) }
            var line = try JSONEncoder().encode(header)
            line.append(10)
            try file.write(contentsOf: line)
            return Spool(url, header: header, start: Int64(line.count), length: Int64(line.count), file: file)
        } catch {
            throw ClientError(.file, "The report cannot be kept in \(folder.path). Check the folder, or name another with --spool.")
        }
    }

    /// Opens a spool that another process left; nil while that process is at work, and for a file that is no spool.
    ///
    /// What it was writing when it ended is cut off if it is not a whole line.
    package static func open(_ url: URL) -> Spool? {
        do {
            let file = try PrivateFile.open(url, flags: O_RDWR | O_APPEND)
            guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
            guard let head = try lines(of: file, from: 0, limit: 1).first else { return nil }
            let header = try JSONDecoder().decode(SpoolHeader.self, from: head.data)
            let length = try lastLineEnd(of: file)
            try file.truncate(atOffset: UInt64(clamping: length))
            return Spool(url, header: header, start: head.end, length: length, file: file)
        } catch {
            return nil
        }
    }

    /// Adds messages to the end.
    package func append(_ messages: [JSONValue]) throws {
        var text = ""
        for message in messages { text += try message.text() + "\n" }
        let data = Data(text.utf8)
        try length.withLock { length in
            do {
                try file.write(contentsOf: data)
                length += Int64(data.count)
            } catch {
                // Half of it may have been written, on a full disk.
                try file.truncate(atOffset: UInt64(clamping: length))
                throw error
            }
        }
    }

    /// The messages of the request at a place; nil while there are none.
    package func batch(at place: SpoolPlace) throws -> Batch? {
        let from = max(place.from, start)
        let end = place.through ?? length.withLock { $0 }
        guard from < end else { return nil }
        var (messages, last, size) = ([JSONValue](), from, 0)
        for line in try Self.lines(of: file, from: from, limit: Self.batchMessages) {
            if line.end > end { break }
            size += line.data.count
            if place.through == nil, size > Self.batchBytes, !messages.isEmpty { break }
            messages.append(try JSONValue(parsing: line.data))
            last = line.end
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
        return (try? JSONDecoder().decode(SpoolPlace.self, from: data)) ?? SpoolPlace()
    }

    /// Writes down how far it has been sent, in one step.
    package func write(_ place: SpoolPlace) throws(ClientError) {
        do {
            try PrivateFile.replace(placeURL, with: try JSONEncoder().encode(place))
        } catch {
            throw ClientError(.file, "How far the report is sent cannot be kept in \(placeURL.path). Is the disk full?")
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
            if let feed = piece.lastIndex(of: 10) { return start + Int64(piece.distance(from: piece.startIndex, to: feed)) + 1 }
            end = start
        }
        return 0
    }

    /// Reads without moving the place that other threads write at.
    private static func bytes(of file: FileHandle, from place: Int64, count: Int) throws -> Data {
        var data = Data(count: max(0, count))
        // Unsafe memory: what is read lies in the buffer, whose size bounds the read.
        let read = data.withUnsafeMutableBytes { pread(file.fileDescriptor, $0.baseAddress, $0.count, off_t(clamping: place)) }
        guard read >= 0 else { throw CocoaError(.fileReadUnknown) }
        return data.prefix(read)
    }
}
