import Foundation
import NIOPosix
import WeirOperations
import WeirStandard
import WeirStates

/// The file of a run, in a private folder that exists until the run ends.
struct ReceivedFile: Sendable {
    /// The path for programs, which ends with the sender's file name in a safe form.
    let path: String
    private let folder: URL

    /// The number of bytes between two progress updates.
    private static let step: Int64 = 256 << 10

    /// Receives a file, which the caller must remove.
    ///
    /// Suspends until the file is complete, and applies back pressure to the sender while the disk is busy.
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

    func remove() {
        // The next start of the server removes what remains.
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
        // The result of every write has been checked.
        try? handle.close()
    }

    /// Runs a blocking disk operation outside the cooperative thread pool.
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
