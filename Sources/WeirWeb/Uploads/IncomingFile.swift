import Foundation
import NIOCore

/// A file on its way in: its bytes are still on the connection.
struct IncomingFile {
    enum Source {
        case raw(BodyReader)
        case multipart(MultipartReader)
    }

    var source: Source

    /// How reading a file ended.
    enum End {
        /// The body was read to its end, so that the connection can continue.
        case whole
        /// Nobody takes any more of it.
        case left
        /// It was interrupted; the run was given the reason.
        case broken(UploadFailure)
    }

    /// Reads the file to its end and hands its pieces to the pipe, as fast as they are taken there.
    mutating func pump(into pipe: UploadPipe) async -> End {
        do {
            while let piece = try await next() {
                guard await pipe.offer(Data(piece.readableBytesView)) else { return .left }
            }
            if case .multipart(var reader) = source {
                try await finish(&reader)
            }
            pipe.finish()
            return .whole
        } catch {
            pipe.finish(error)
            return .broken(error)
        }
    }

    private mutating func next() async throws(UploadFailure) -> ByteBuffer? {
        switch source {
        case .raw(var body):
            let piece = try await body.next()
            source = .raw(body)
            return piece
        case .multipart(var reader):
            do {
                let piece = try await reader.piece()
                source = .multipart(reader)
                return piece
            } catch {
                throw failure(error)
            }
        }
    }

    private func finish(_ reader: inout MultipartReader) async throws(UploadFailure) {
        do { try await reader.finish() } catch { throw failure(error) }
    }

    private func failure(_ failure: MultipartReader.Failure) -> UploadFailure {
        switch failure {
        case .mistake(let mistake): UploadFailure(description: mistake.detail)
        case .transport(let failure): failure
        }
    }
}
