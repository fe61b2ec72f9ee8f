import Foundation
import Journals
import States

/// The destination of an export: a file, or standard output.
///
/// A file gets its name once it is complete, so that a file with that name is never a partial export.
final class BundleFile {
    private static let pieceSize = 64 * 1_024

    private let path: String?
    private let handle: FileHandle
    private var piece = Data()

    /// Begins a file at a path, or writes to standard output.
    init(path: String?) throws(StartError) {
        self.path = path
        guard let path else {
            handle = .standardOutput
            return
        }
        guard FileManager.default.createFile(atPath: path + ".part", contents: nil),
            let handle = FileHandle(forWritingAtPath: path + ".part")
        else {
            throw .unavailable("\(path) cannot be written. Choose a file in an existing folder that you can write.")
        }
        self.handle = handle
    }

    /// Adds a line.
    func write(_ line: String) throws(StartError) {
        piece.append(contentsOf: line.utf8)
        piece.append(UInt8(ascii: "\n"))
        if piece.count >= Self.pieceSize { try flush() }
    }

    /// Gives the file its name.
    func finish() throws(StartError) {
        try flush()
        guard let path else { return }
        do {
            try handle.close()
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.moveItem(atPath: path + ".part", toPath: path)
        } catch {
            throw .unavailable("\(path) cannot be written.")
        }
    }

    private func flush() throws(StartError) {
        do {
            try handle.write(contentsOf: piece)
        } catch {
            throw .unavailable("\(path ?? "Standard output") cannot be written: there may be no space left.")
        }
        piece.removeAll(keepingCapacity: true)
    }

    /// Reads a file line by line.
    static func reader(of path: String, limit: ByteCount) throws(StartError) -> LineReader {
        do {
            return try LineReader(path: path, limit: limit)
        } catch {
            throw .missing("\(path) cannot be read. Choose an existing file.")
        }
    }
}
