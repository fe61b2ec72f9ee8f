import Foundation
import WeirJournals
import WeirStates

/// The destination of an export: a file, or standard output.
///
/// A file gets its name once it is complete, so that a file with that name is never a partial export. What is there and is
/// no file, as a device or a pipe, is written to as it is.
final class BundleFile {
    private static let pieceSize = 64 * 1_024

    private let path: String?
    /// Where it is written until it is complete; nil if that is where it stays.
    private let draft: String?
    private let handle: FileHandle
    private var piece = Data()

    /// Begins a file at a path, or writes to standard output.
    init(path: String?) throws(StartError) {
        self.path = path
        guard let path else {
            draft = nil
            handle = .standardOutput
            return
        }
        draft = Self.isSpecial(path) ? nil : path + ".part"
        guard draft.map({ FileManager.default.createFile(atPath: $0, contents: nil) }) ?? true,
            let handle = FileHandle(forWritingAtPath: draft ?? path)
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
            guard let draft else { return }
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.moveItem(atPath: draft, toPath: path)
        } catch {
            throw .unavailable("\(path) cannot be written.")
        }
    }

    private static func isSpecial(_ path: String) -> Bool {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        return type.map { $0 != .typeRegular && $0 != .typeDirectory } ?? false
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
        } catch RegularFile.Failure.notRegular {
            throw .missing(
                "\(path) is a folder, a pipe or a device. Save the export as a file first, since an import reads it twice."
            )
        } catch {
            throw .missing("\(path) cannot be read. Choose an existing file.")
        }
    }
}
