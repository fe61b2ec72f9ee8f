import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// Serves resumable uploads: the tus protocol, version 1.0, with creation, termination, expiration and checksums.
///
/// Creating an upload starts its run, which reads the bytes as they arrive. If a run is interrupted or stops waiting, another
/// one starts when the upload continues; any other end of a run ends the upload.
struct TusRoutes {
    let dashboard: AudienceDashboard
    let operation: String

    private var uploads: ResumableUploads { dashboard.resumable }

    func answerAll(_ exchange: Exchange) async throws(Problem) -> Response {
        if exchange.request.method == .options { return options() }
        return try await marked(exchange) { () async throws(Problem) in try await create(exchange) }
    }

    func answer(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        if exchange.request.method == .options { return options() }
        return try await marked(exchange) { () async throws(Problem) in
            let entry = try uploads.find(id, of: operation, owner: owner(exchange))
            switch exchange.request.method {
            case .patch: return try await append(to: entry, exchange)
            case .delete: return await delete(entry, exchange)
            default: return Response(status: .ok, headers: headers(of: entry, isWhole: true))
            }
        }
    }

    // MARK: The requests

    private func create(_ exchange: Exchange) async throws(Problem) -> Response {
        guard let entry = dashboard.board.catalog[operation] else { throw .unknownOperation(operation) }
        guard let field = entry.fields.first(where: { $0.kind == .file }) else { throw .noFileTaken }
        guard exchange.header(.uploadDeferLength) == nil else {
            throw .malformedUpload("Upload-Defer-Length", "is not supported. Send Upload-Length.")
        }
        let length = try number(.uploadLength, exchange)
        if let limit = dashboard.configuration.maximumUploadBytes, length > limit { throw .fileTooLarge(limit: limit) }
        let key = try exchange.idempotencyKey()
        let id = key.map { self.id(of: $0, exchange) } ?? dashboard.makeID()
        if key != nil, let known = try? uploads.find(id, of: operation, owner: owner(exchange)) {
            return try await created(known, exchange, by: known.file.run)
        }
        let upload = ResumableUpload(
            id: id, operation: operation, owner: owner(exchange), length: length,
            metadata: exchange.header(.uploadMetadata),
            input: try input(entry, field, id: id, length: length, exchange))
        let (made, isNew) = try uploads.create(upload)
        guard isNew else { return try await created(made, exchange, by: made.file.run) }
        let receipt: StartReceipt
        do throws(Problem) { receipt = try await start(made, exchange, key: key) } catch {
            uploads.remove(id)
            throw error
        }
        guard receipt.isNew else {
            // The response to the first request was lost and its run has ended, so nothing remains to be sent.
            uploads.remove(id)
            var response = try await created(made, exchange, by: receipt.run)
            response.headers[.uploadOffset] = String(length)
            response.headers[.uploadExpires] = nil
            return response
        }
        return try await created(made, exchange, by: receipt.run)
    }

    private func append(to entry: ResumableUploads.Entry, _ exchange: Exchange) async throws(Problem) -> Response {
        guard ContentType(exchange.header(.contentType))?.name == "application/offset+octet-stream" else {
            throw .unsupportedMediaType(accepted: "application/offset+octet-stream")
        }
        let offset = try number(.uploadOffset, exchange)
        let checksum = try checksum(exchange)
        let file = entry.file
        let rest = entry.upload.length.subtractingReportingOverflow(offset).partialValue
        let writer: Int
        do { writer = try file.begin(at: offset, now: dashboard.clock.uptime) } catch { throw Problem(error) }
        defer { file.end(writer) }
        var body = BodyReader(exchange, limit: rest, budget: dashboard.bodies)
        if let announced = body.announced, announced > rest { throw .uploadTooLong }
        if file.run == nil { _ = try await start(entry, exchange) }
        var checked: CheckedPart?
        do { checked = try checksum.map { try CheckedPart($0, in: dashboard.configuration.spoolFolder) } } catch {
            throw .uploadNotStored
        }
        while true {
            let piece: ByteBuffer?
            do { piece = try await body.next() } catch {
                throw error == .tooLarge(limit: rest) ? .uploadTooLong : Problem(stoppedBy: error) ?? .stalled
            }
            guard let piece else { break }
            if checked != nil {
                do { try checked?.append(piece) } catch { throw .uploadNotStored }
                // The bytes do not count yet, but the write shows that the sender is alive.
                try write(ByteBuffer(), to: file, by: writer)
            } else {
                try write(piece, to: file, by: writer)
            }
        }
        if let checked { try write(checked, to: file, by: writer) }
        return Response(status: .noContent, headers: headers(of: entry))
    }

    private func write(_ part: CheckedPart, to file: ResumableFile, by writer: Int) throws(Problem) {
        guard part.isRight else { throw .checksumMismatch(offset: file.offset) }
        let next: () throws -> ByteBuffer?
        do { next = try part.pieces() } catch { throw .uploadNotStored }
        while true {
            let piece: ByteBuffer?
            do { piece = try next() } catch { throw .uploadNotStored }
            guard let piece else { return }
            try write(piece, to: file, by: writer)
        }
    }

    private func write(_ bytes: ByteBuffer, to file: ResumableFile, by writer: Int) throws(Problem) {
        do { try file.append(bytes, by: writer, now: dashboard.clock.uptime) } catch { throw Problem(error) }
    }

    private func delete(_ entry: ResumableUploads.Entry, _ exchange: Exchange) async -> Response {
        // Cancelled first, so that the run does not fail because its file is closed.
        if let run = entry.file.run { _ = try? await dashboard.board.cancel(run, actor: exchange.actor) }
        uploads.remove(entry.upload.id)
        return Response(status: .noContent)
    }

    private func options() -> Response {
        var headers: HTTPFields = [
            .tusResumable: "1.0.0", .tusVersion: "1.0.0", .tusExtension: "creation,termination,expiration,checksum",
            .tusChecksumAlgorithm: UploadChecksum.algorithms,
        ]
        headers[.tusMaxSize] = dashboard.configuration.maximumUploadBytes.map { String($0) }
        return Response(status: .noContent, headers: headers)
    }

    // MARK: The run

    /// Starts the run that reads an upload, and ends the upload with it.
    ///
    /// The receipt is not new only if the run has read this upload before.
    private func start(
        _ entry: ResumableUploads.Entry, _ exchange: Exchange, key: String? = nil
    ) async throws(Problem) -> StartReceipt {
        let (upload, file) = (entry.upload, entry.file)
        let content: ResumableContent
        do { content = try file.attach(length: upload.length) } catch { throw .uploadOver }
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.start(
                operation, input: upload.input, content: content, actor: exchange.actor, idempotencyKey: key)
        } catch {
            file.began(nil)
            throw Problem(error)
        }
        guard receipt.isNew else {
            file.began(nil)
            guard key != nil, await isReader(receipt.run, of: upload) else { throw .runJoined }
            return receipt
        }
        file.began(receipt.run)
        let (board, uploads) = (dashboard.board, uploads)
        Task {
            await board.outcome(of: receipt.run)
            let record = try? await board.run(receipt.run).record
            file.ended(content)
            // An interrupted upload, or one whose sender was silent, can continue. Otherwise the upload ends with its run.
            guard content.failure == nil, let record, record.state.phase != .interrupted else { return }
            uploads.remove(upload.id)
        }
        return receipt
    }

    private func isReader(_ run: String, of upload: ResumableUpload) async -> Bool {
        let input = try? await dashboard.board.run(run).record.opening.input
        return input?.object?.values.contains { $0["id"]?.string == upload.id } ?? false
    }

    private func created(
        _ entry: ResumableUploads.Entry, _ exchange: Exchange, by run: String?
    ) async throws(Problem) -> Response {
        var response = Response(status: .created)
        if let run, let receipt = try? await dashboard.board.run(run) {
            let started = StartReceipt(run: run, sequence: receipt.record.sequence, isNew: true)
            response = try await CommandAnswer(dashboard: dashboard, receipt: started).response(
                exchange, status: .created)
            response.status = .created
        }
        var isForPrograms = false
        if case .api = exchange.route { isForPrograms = true }
        let path = "operations/\(operation)/uploads/\(entry.upload.id)"
        response.headers[.location] = dashboard.mount.url((isForPrograms ? "api/v1/" : "") + path)
        for field in headers(of: entry) { response.headers[field.name] = field.value }
        return response
    }

    // MARK: Header fields

    /// Checks the request's protocol version, and adds ours to every response.
    private func marked(
        _ exchange: Exchange, _ body: () async throws(Problem) -> Response
    ) async throws(Problem) -> Response {
        do throws(Problem) {
            guard exchange.header(.tusResumable) == "1.0.0" else { throw Problem.protocolVersion }
            var response = try await body()
            response.headers[.tusResumable] = "1.0.0"
            return response
        } catch {
            var problem = error
            problem.headers[.tusResumable] = "1.0.0"
            throw problem
        }
    }

    private func headers(of entry: ResumableUploads.Entry, isWhole: Bool = false) -> HTTPFields {
        let offset = entry.file.offset
        var headers: HTTPFields = [.uploadOffset: String(offset), .cacheControl: "no-store"]
        if offset < entry.upload.length { headers[.uploadExpires] = HTTPDate.text(uploads.expiry(entry.upload.id)) }
        guard isWhole else { return headers }
        headers[.uploadLength] = String(entry.upload.length)
        headers[.uploadMetadata] = entry.upload.metadata
        return headers
    }

    private func checksum(_ exchange: Exchange) throws(Problem) -> UploadChecksum? {
        let values = exchange.request.headers[values: .uploadChecksum]
        guard !values.isEmpty else { return nil }
        do throws(UploadChecksum.Mistake) {
            guard values.count == 1, let value = values.first else { throw .malformed }
            return try UploadChecksum(value)
        } catch .unknownAlgorithm {
            throw .malformedUpload(
                "Upload-Checksum",
                "names an algorithm that is not supported. Send one of \(UploadChecksum.algorithms), or no checksum.")
        } catch {
            throw .malformedUpload(
                "Upload-Checksum",
                "must be an algorithm and the digest in Base64, such as “sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=”.")
        }
    }

    private func number(_ name: HTTPField.Name, _ exchange: Exchange) throws(Problem) -> Int64 {
        let values = exchange.request.headers[values: name]
        guard values.count == 1, let text = values.first, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else { throw .malformedUpload(name.rawName, "must be a whole number of bytes, such as 1048576.") }
        return number
    }

    private func input(
        _ entry: CatalogEntry, _ field: InputField, id: String, length: Int64, _ exchange: Exchange
    ) throws(Problem) -> JSONValue {
        guard let metadata = UploadMetadata(exchange.header(.uploadMetadata) ?? "") else {
            throw .malformedUpload(
                "Upload-Metadata",
                "must be keys and their values in Base64, such as “filename YS50eHQ=”, 8 KiB at most.")
        }
        var values = InputField.values(ofForm: metadata.values, fields: entry.fields)
        let secrets = entry.fields.filter(\.isSecret).map(\.name)
        guard !secrets.contains(where: { values[$0] != nil }) else {
            throw .malformedUpload(
                "Upload-Metadata", "names a secret, and is kept on the disk. Send the file and the secret as a form.")
        }
        let type = values.removeValue(forKey: "filetype")
        let filename = MultipartPart.plainFilename(values.removeValue(forKey: "filename") ?? "")
        values[field.name] = nil
        let sent = InputField.object(fromForm: values, fields: entry.fields, decimal: dashboard.decimalMark(exchange))
        var members = sent.object ?? [:]
        var file: [String: JSONValue] = [
            "id": .string(id), "filename": .string(filename), "length": .integer(length),
        ]
        file["contentType"] = type.map { .string(String($0.prefix(255))) }
        members[field.name] = .object(file)
        return .object(members)
    }

    // MARK: Whose it is

    private func owner(_ exchange: Exchange) -> String { exchange.principalKey ?? "" }

    /// Derives an upload's id from the key, the operation and the principal, so that a repeated request finds the first one's
    /// upload.
    private func id(of key: String, _ exchange: Exchange) -> String {
        // Neither an id nor a key contains a line break, so the concatenation is unambiguous.
        let text = "upload\n\(operation)\n\(key)\n\(owner(exchange))"
        return Hex(SHA256.hash(data: Data(text.utf8)).prefix(16)).text
    }
}
