import Foundation
import NIOCore

/// A file on its way in: its bytes are still on the connection.
struct IncomingFile {
    enum Source {
        case raw(BodyReader)
        case multipart(MultipartReader)
    }

    var source: Source

    /// Reads the file to its end and hands its pieces to the pipe, as fast as they are taken there.
    ///
    /// Returns whether the body was read to its end, so that the connection can go on.
    mutating func pump(into pipe: UploadPipe) async -> Bool {
        do {
            while let piece = try await next() {
                guard await pipe.offer(Data(piece.readableBytesView)) else { return false }
            }
            if case .multipart(var reader) = source {
                try await finish(&reader)
            }
            pipe.finish()
            return true
        } catch {
            pipe.finish(error)
            return false
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
