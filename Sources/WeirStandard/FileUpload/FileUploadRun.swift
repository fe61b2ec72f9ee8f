import Crypto
import Foundation
import WeirFlows
import WeirOperations
import WeirStates

/// One upload; each phase removes its files if it fails.
struct FileUploadRun: Sendable {
    let input: FileUploadInput
    let configuration: FileUpload.Configuration
    let environment: OperationEnvironment
    let state: MutableStateFlow<FileUploadState>

    private var spool: UploadSpool { UploadSpool(directory: configuration.spool) }
    private var id: String { input.file.id }
    private var filename: String { SafeFilename(input.file.filename).text }
    private static let pieceSize = 256 << 10

    func perform() async throws {
        let step = Locked(FileUploadStep.receiving)
        do {
            guard UploadSpool.isID(id) else { throw FileUploadFailure.malformedID }
            try await upload { next in step.withLock { $0 = next } }
            try FileSystem.remove(spool.original(id))
        } catch {
            let canRetry = UploadSpool.isID(id) && spool.hasOriginal(id)
            guard !Task.isCancelled else {
                if canRetry { try FileSystem.remove(spool.original(id)) }
                throw CancellationError()
            }
            throw FileUploadError(failure: FileUploadFailure(error), step: step.withLock { $0 }, canRetry: canRetry)
        }
    }

    private func upload(enter: (FileUploadStep) -> Void) async throws {
        let elapsed = environment.stopwatch()
        let destination = try destination()
        if let content = input.file.content { try await receive(content) }
        guard let original = try InputFile(path: spool.original(id)) else { throw FileUploadFailure.gone }
        enter(.compressing)
        let compressed = try spool.compressed(id)
        defer { compressed.removeQuietly() }
        let sha256 = try await compress(original, into: compressed)
        guard let stored = try InputFile(path: compressed.path) else { throw FileUploadFailure.gone }
        try await pass(stored, to: destination, enter: enter) { location, parts in
            .success(
                filename: filename, destination: destination.name, location: location, originalSize: original.size,
                storedSize: stored.size, sha256: sha256, parts: parts, milliseconds: elapsed())
        }
    }

    private func destination() throws(FileUploadFailure) -> any UploadDestination {
        let named = configuration.destinations.first { input.destination == nil || $0.name == input.destination }
        guard let named else { throw .unknownDestination(name: input.destination ?? "") }
        return named
    }

    // MARK: Receiving

    private func receive(_ content: any FileContent) async throws {
        state.value = .receiving(filename: filename, bytes: 0, total: input.file.length)
        let file = try spool.arriving(id)
        defer { file.removeQuietly() }
        var count: Int64 = 0
        var told: Int64 = 0
        while let piece = try await next(of: content) {
            count += Int64(piece.count)
            guard count <= configuration.maximumSize else {
                throw FileUploadFailure.tooLarge(limit: configuration.maximumSize)
            }
            try file.write(piece)
            if count - told >= 64 << 10 {
                state.value = .receiving(filename: filename, bytes: count, total: input.file.length)
                told = count
            }
        }
        guard count == input.file.length ?? count else { throw FileUploadFailure.incomplete }
        state.value = .receiving(filename: filename, bytes: count, total: count)
        file.close()
        try FileSystem.rename(file.path, to: spool.original(id))
    }

    private func next(of content: any FileContent) async throws -> Data? {
        try Task.checkCancellation()
        do { return try await content.next() } catch let failure as FileUploadFailure {
            throw failure
        } catch {
            throw error.isExplained ? .interrupted(reason: error.explanation) : FileUploadFailure.incomplete
        }
    }

    // MARK: Compressing

    private func compress(_ original: InputFile, into file: OutputFile) async throws -> String {
        let gzip = try GzipStream(level: configuration.compressionLevel)
        var hash = SHA256()
        var done: Int64 = 0
        var written: Int64 = 0
        func emit(_ bytes: Data) throws {
            try file.write(bytes)
            written += Int64(bytes.count)
        }
        func tell() {
            state.value = .compressing(
                filename: filename, bytes: done, total: original.size, compressedBytes: written)
        }
        tell()
        while true {
            try Task.checkCancellation()
            let piece = try original.next(Self.pieceSize)
            guard !piece.isEmpty else { break }
            hash.update(data: piece)
            try gzip.take(piece, emit: emit)
            done += Int64(piece.count)
            tell()
            await Task.yield()
        }
        try gzip.take(Data(), isLast: true, emit: emit)
        tell()
        file.close()
        return Hex(hash.finalize()).text
    }

    // MARK: Passing on

    private func pass(
        _ file: InputFile, to destination: any UploadDestination, enter: (FileUploadStep) -> Void,
        success: (_ location: String, _ parts: Int) -> FileUploadState
    ) async throws {
        enter(.openingSession)
        state.value = .openingSession(filename: filename, destination: destination.name, size: file.size)
        let session = try await destination.open(filename: filename, size: file.size)
        do {
            enter(.uploading)
            let parts = try await send(file, over: session, to: destination.name)
            enter(.closingSession)
            state.value = .closingSession(filename: filename, destination: destination.name, size: file.size)
            try Task.checkCancellation()
            state.value = success(try await session.close(), parts)
            // A run cancelled in the meantime accepts no state, so it must leave no file.
            guard state.value.phase == .succeeded else { throw CancellationError() }
        } catch {
            // In an unstructured task, so that a cancelled run can still call the destination.
            await Task { await session.abort() }.value
            throw error
        }
    }

    private func send(_ file: InputFile, over session: any UploadSession, to destination: String) async throws -> Int {
        let (whole, rest) = file.size.quotientAndRemainder(dividingBy: Int64(max(1, configuration.partSize)))
        let parts = Int(clamping: whole + (rest > 0 ? 1 : 0))
        var sent: Int64 = 0
        func tell(_ part: Int) {
            state.value = .uploading(
                filename: filename, destination: destination, bytes: sent, total: file.size, part: part, parts: parts)
        }
        tell(0)
        for part in 1...max(1, parts) {
            try Task.checkCancellation()
            let bytes = try file.next(configuration.partSize)
            try await session.part(part, bytes)
            sent += Int64(bytes.count)
            tell(part)
        }
        return parts
    }
}
