import Foundation
import NIOCore

/// Reads a multipart body from a request: first the plain fields, then the file, piece by piece.
struct MultipartReader {
    enum Failure: Error { case mistake(MultipartMistake), transport(UploadFailure) }

    private var parser: MultipartParser
    private(set) var body: BodyReader

    init?(_ body: BodyReader, boundary: String?) {
        guard let parser = MultipartParser(boundary: boundary) else { return nil }
        self.parser = parser
        self.body = body
    }

    private mutating func event() async throws(Failure) -> MultipartParser.Event {
        do {
            while true {
                if let event = try parser.next() { return event }
                let piece: ByteBuffer?
                do { piece = try await body.next() } catch { throw Failure.transport(error) }
                guard let piece else {
                    try parser.finish()
                    return .end
                }
                parser.push(piece)
            }
        } catch let failure as Failure {
            throw failure
        } catch let mistake as MultipartMistake {
            throw .mistake(mistake)
        } catch {
            throw .mistake(.truncated)
        }
    }

    /// Reads plain fields up to the first named file or the end, and returns them with the header of the file, whose bytes
    /// come next.
    ///
    /// `limit` is the maximum total length of all values.
    mutating func fields(limit: Int) async throws(Failure) -> (fields: FormFields, file: MultipartPart?) {
        var fields = FormFields()
        var left = limit
        while true {
            guard case .part(let part) = try await event() else {
                _ = try await event()
                return (fields, nil)
            }
            // Browsers send an empty file field as a file without name and bytes.
            if let filename = part.filename, !filename.isEmpty { return (fields, part) }
            let value = try await value(limit: &left)
            if part.filename == nil { fields.fields.append(.init(name: part.name, value: value)) }
        }
    }

    /// Returns the next piece of the file, or nil at its end.
    mutating func piece() async throws(Failure) -> ByteBuffer? {
        if case .data(let bytes) = try await event() { return bytes }
        return nil
    }

    /// Reads the rest of the body, which may contain only fields without a value.
    mutating func finish() async throws(Failure) {
        var left = 65_536
        while case .part(let part) = try await event() {
            let value = try await value(limit: &left)
            guard value.isEmpty else {
                throw .mistake(
                    MultipartMistake(
                        detail: "The field “\(part.name.prefix(100))” came after the file; send all fields before it."))
            }
        }
        // The request ends after the last boundary; reading it allows reusing the connection.
        _ = try await event()
    }

    private mutating func value(limit: inout Int) async throws(Failure) -> String {
        var bytes = ByteBuffer()
        while case .data(var piece) = try await event() {
            limit -= piece.readableBytes
            guard limit >= 0 else { throw .transport(.tooLarge(limit: 0)) }
            do { try body.keep(piece.readableBytes) } catch { throw .transport(error) }
            bytes.writeBuffer(&piece)
        }
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self) else {
            throw .mistake(MultipartMistake(detail: "A field's value is not UTF-8."))
        }
        return text
    }
}

/// A file whose bytes are still being received.
struct IncomingFile {
    enum Source {
        case raw(BodyReader)
        case multipart(MultipartReader)
    }

    var source: Source

    enum End {
        /// The body was read to its end, so the connection can be reused.
        case whole
        /// The run takes no more bytes.
        case left
        /// The transfer failed; the run got the error.
        case broken(UploadFailure)
    }

    /// Passes the file to the pipe piece by piece, at the speed of the run.
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
