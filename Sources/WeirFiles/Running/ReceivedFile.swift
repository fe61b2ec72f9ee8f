import Foundation
import NIOPosix
import WeirOperations
import WeirStandard
import WeirStates

/// The file that a run was given, in a folder of its own that only the server's user can enter, until the run is over.
struct ReceivedFile: Sendable {
    /// Where programs find it, under the name that the sender gave, made safe.
    let path: String
    private let folder: URL

    /// How many bytes arrive before the state says so again.
    private static let step: Int64 = 256 << 10

    /// Takes a file in.
    ///
    /// Suspends until all of it is there, and holds its sender back while the disk is busy.
    /// - Parameters:
    ///   - file: The file, with its bytes.
    ///   - parent: Where its folder is made.
    ///   - tell: Called with how much has arrived.
    /// - Returns: The file, which the caller removes.
    /// - Throws: `OperationFailure` with what to do, what the content throws, and `CancellationError`.
    static func receive(
        _ file: FileInput, in parent: URL, tell: (WorkProgress) async -> Void
    ) async throws -> ReceivedFile {
        guard let content = file.content else {
            throw OperationFailure(
                "The file “\(file.filename)” was removed when its run was over. Start the operation again, and choose the "
                    + "file again.")
        }
        let folder = parent.appending(path: "file-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory)
        let path = folder.appending(path: SafeFilename(file.filename).text).path
        let received = ReceivedFile(path: path, folder: folder)
        do {
            let handle = try await onDisk { try open(path, in: folder) }
            defer { close(handle) }
            var count: Int64 = 0
            var told: Int64 = 0
            func progress() -> WorkProgress { WorkProgress(count, of: file.length, unit: .bytes) }
            await tell(progress())
            while let piece = try await content.next() {
                try Task.checkCancellation()
                try await onDisk { try handle.write(contentsOf: piece) }
                count += Int64(piece.count)
                guard count - told >= step else { continue }
                told = count
                await tell(progress())
            }
            guard count == file.length ?? count else {
                throw OperationFailure(
                    "The file is \(count) bytes long, and not \(file.length ?? 0) as announced. Send it again.")
            }
            await tell(WorkProgress(count, of: count, unit: .bytes))
            return received
        } catch {
            received.remove()
            throw error
        }
    }

    /// Removes it, with its folder.
    func remove() {
        // What cannot be removed now is removed when the server starts.
        try? FileManager.default.removeItem(at: folder)
    }

    private static func open(_ path: String, in folder: URL) throws -> FileHandle {
        let (owner, files) = ([FileAttributeKey.posixPermissions: 0o700], FileManager.default)
        try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: owner)
        guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    private static func close(_ handle: FileHandle) {
        // Every write has been asked whether it went well.
        try? handle.close()
    }

    /// Does something that waits for the disk, elsewhere than where tasks run.
    private static func onDisk<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        do {
            return try await NIOThreadPool.singleton.runIfActive(body)
        } catch let error as CocoaError {
            throw OperationFailure(
                error.code == .fileWriteOutOfSpace
                    ? "The server's disk is full, so the file could not be taken in. Make room, and start again."
                    : "The server could not write the file into its folder. Check the data folder's owner and disk.")
        }
    }
}
