package import Foundation
import Synchronization
package import WeirStates

/// Reads a text file line by line, holding one line and a buffer in memory.
package final class LineReader: Sendable {
    package static let standardLimit = ByteCount(clamping: 8 << 20)

    private static let bufferSize = 256 * 1_024

    private struct Buffer {
        var file: FileHandle?
        var closes = true
        let limit: ByteCount
        var bytes: [UInt8] = []
        var position = 0
    }

    private let buffer: Mutex<Buffer>

    /// Opens the file at a path.
    ///
    /// Throws ``RegularFile/Failure`` if it cannot be read or is not a regular file, such as a pipe.
    package init(path: String, limit: ByteCount = standardLimit) throws {
        buffer = Mutex(Buffer(file: try RegularFile.open(path), limit: limit))
    }

    /// Reads an open file from its current position, and does not close it.
    package init(_ file: FileHandle, limit: ByteCount = standardLimit) {
        buffer = Mutex(Buffer(file: file, closes: false, limit: limit))
    }

    /// The next line without its terminator; nil after the last.
    ///
    /// Throws `JournalError` for a line that is too long or not UTF-8, and the system's error if reading fails.
    package func next() throws -> String? {
        try buffer.withLock { try Self.next(&$0) }
    }

    private static func next(_ buffer: inout Buffer) throws -> String? {
        var searched = buffer.position
        while true {
            if let end = buffer.bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.position = end + 1 }
                try check(end - buffer.position, buffer)
                return try text(buffer.bytes[buffer.position..<end])
            }
            try check(buffer.bytes.count - buffer.position, buffer)
            buffer.bytes.removeFirst(buffer.position)
            buffer.position = 0
            searched = buffer.bytes.count
            guard let more = try buffer.file?.read(upToCount: bufferSize), !more.isEmpty else { break }
            buffer.bytes.append(contentsOf: more)
        }
        if buffer.closes { try buffer.file?.close() }
        buffer.file = nil
        guard !buffer.bytes.isEmpty else { return nil }
        defer { buffer.bytes = [] }
        try check(buffer.bytes.count, buffer)
        return try text(buffer.bytes[...])
    }

    /// Throws if a line, or the part of it read so far, exceeds the limit.
    private static func check(_ count: Int, _ buffer: Buffer) throws {
        guard Int64(count) > buffer.limit.bytes else { return }
        throw JournalError(
            .malformed,
            "It is longer than the limit of \(buffer.limit) for a line; import.maximum-line sets the limit.")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JournalError(.malformed, "It is not UTF-8.")
        }
        return text
    }
}
