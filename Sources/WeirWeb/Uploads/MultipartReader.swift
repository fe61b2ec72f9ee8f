import NIOCore

/// Reads a multipart body from a request: first the plain fields, then, piece by piece, the one file.
struct MultipartReader {
    /// Why reading ended early.
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

    /// Reads plain fields up to the first file with a name, or the end: the fields, and the head of the file, whose
    /// bytes come next.
    ///
    /// `limit` is the most bytes that all values may have.
    mutating func fields(limit: Int) async throws(Failure) -> (fields: FormFields, file: MultipartPart?) {
        var fields = FormFields()
        var left = limit
        while true {
            guard case .part(let part) = try await event() else {
                _ = try await event()
                return (fields, nil)
            }
            // A browser sends a file field in which nothing was chosen as a file without name and bytes.
            if let filename = part.filename, !filename.isEmpty { return (fields, part) }
            let value = try await value(limit: &left)
            if part.filename == nil { fields.fields.append(.init(name: part.name, value: value)) }
        }
    }

    /// The next piece of the file, or nil at its end.
    mutating func piece() async throws(Failure) -> ByteBuffer? {
        if case .data(let bytes) = try await event() { return bytes }
        return nil
    }

    /// Reads what follows the file: nothing, or fields without a value.
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
        // The request's own end comes after the last boundary; reading it lets the connection continue.
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
