public import Foundation
import Synchronization

/// Reads a file of text line by line, never more of it than a line and a buffer.
public final class LineReader: Sendable {
    /// How many bytes a line may have.
    public static let maximumBytes = 64 * 1_024 * 1_024

    private static let bufferSize = 256 * 1_024

    private struct Buffer {
        var file: FileHandle?
        var closes = true
        var bytes: [UInt8] = []
        var position = 0
    }

    private let buffer: Mutex<Buffer>

    /// Opens the file at a path.
    ///
    /// Throws the system's error when it cannot be read.
    public init(path: String) throws {
        buffer = Mutex(Buffer(file: try FileHandle(forReadingFrom: URL(fileURLWithPath: path))))
    }

    /// Reads on where a file that is open stands; it stays open.
    public init(_ file: FileHandle) {
        buffer = Mutex(Buffer(file: file, closes: false))
    }

    /// The next line without its end; nil after the last.
    ///
    /// Throws `JournalError` for a line that is too long or no UTF-8, and the system's error when reading fails.
    public func next() throws -> String? {
        try buffer.withLock { try Self.next(&$0) }
    }

    private static func next(_ buffer: inout Buffer) throws -> String? {
        var searched = buffer.position
        while true {
            if let end = buffer.bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.position = end + 1 }
                return try text(buffer.bytes[buffer.position..<end])
            }
            guard buffer.bytes.count - buffer.position <= maximumBytes else {
                throw JournalError(.malformed, "A line is longer than \(maximumBytes >> 20) MB.")
            }
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
        return try text(buffer.bytes[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JournalError(.malformed, "A line is not UTF-8.")
        }
        return text
    }
}
