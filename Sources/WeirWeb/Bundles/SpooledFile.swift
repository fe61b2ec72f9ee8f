import Foundation
import NIOCore
import WeirJournals
import WeirStates

/// A file without a name that lives as long as this: what was received, until it is used.
///
/// Its name goes as soon as it is open, so that nothing is left of it however the process ends.
final class SpooledFile: Sendable {
    private let handle: FileHandle

    /// Creates an empty file in a folder, which is made if it is not there.
    init(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "spool-" + UUID().uuidString.lowercased())
        try Data().write(to: url, options: .withoutOverwriting)
        handle = try FileHandle(forUpdating: url)
        try FileManager.default.removeItem(at: url)
    }

    /// Adds bytes at the end.
    func append(_ bytes: ByteBuffer) throws { try handle.write(contentsOf: Data(bytes.readableBytesView)) }

    /// Reads it in pieces of so many bytes, from the beginning; one reader at a time.
    func pieces(of size: Int) throws -> () throws -> ByteBuffer? {
        try handle.seek(toOffset: 0)
        return { [self] in
            guard let piece = try handle.read(upToCount: size), !piece.isEmpty else { return nil }
            return ByteBuffer(bytes: piece)
        }
    }

    /// Reads it line by line, from the beginning; one reader at a time, lines of so many bytes at most.
    func lines(limit: ByteCount) throws -> @Sendable () throws -> String? {
        try handle.seek(toOffset: 0)
        let reader = LineReader(handle, limit: limit)
        return { [self] in
            try withExtendedLifetime(self) { try reader.next() }
        }
    }
}
