import Foundation
import Journals

/// What an export is written to: a file, or standard output.
///
/// A file gets its name once it is whole, so that one of that name is never half of an export.
final class BundleFile {
    private static let pieceSize = 64 * 1_024

    private let path: String?
    private let handle: FileHandle
    private var piece = Data()

    /// Begins a file at a path, or goes to standard output.
    init(path: String?) throws(StartError) {
        self.path = path
        guard let path else {
            handle = .standardOutput
            return
        }
        guard FileManager.default.createFile(atPath: path + ".part", contents: nil),
            let handle = FileHandle(forWritingAtPath: path + ".part")
        else { throw .unavailable("\(path) cannot be written. Name a file in a folder that is there and is yours.") }
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
    static func reader(of path: String) throws(StartError) -> LineReader {
        do {
            return try LineReader(path: path)
        } catch {
            throw .missing("\(path) cannot be read. Name a file that is there.")
        }
    }
}
