import Boards
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Operations
import States

/// Reads what a run is started with from a request's body: JSON, a form, a form with a file, or a file alone.
struct InputBody {
    let dashboard: Dashboard
    let exchange: Exchange
    let entry: CatalogEntry
    /// The key under which this request may be repeated, if there is one.
    var key: String?

    /// What a body holds: an input, and a file whose bytes have not been read yet.
    enum Content {
        case input(SentInput)
        case file(SentInput, IncomingFile)
    }

    /// Reads everything but the bytes of a file.
    func read() async throws(Problem) -> Content {
        let type = MediaType(exchange.header(.contentType))
        if let field = fileField {
            if let type, type.isMultipart { return try await multipart(type, field: field) }
            if let filename = exchange.target.query["filename"] { return try raw(filename, type: type, field: field) }
        } else if let type, type.isMultipart {
            guard case .input(let sent) = try await multipart(type, field: nil) else {
                throw .malformedBody("This operation takes no file.")
            }
            return .input(sent)
        }
        return .input(try await readWithoutFile())
    }

    /// Reads a body that can have no file; an empty one is an empty input.
    func readWithoutFile() async throws(Problem) -> SentInput {
        var body = BodyReader(exchange.request, limit: Int64(dashboard.configuration.maximumBodyBytes))
        let type = MediaType(exchange.header(.contentType))
        let bytes = try await body.collect()
        if bytes.readableBytes == 0 { return SentInput() }
        guard let type else { throw .unsupportedMediaType(accepted: accepted) }
        if type.isForm {
            guard let text = String(validating: bytes.readableBytesView, as: UTF8.self), let fields = FormFields(text)
            else { throw .malformedBody("The form is not properly encoded.") }
            return form(fields)
        }
        guard type.isJSON else { throw .unsupportedMediaType(accepted: accepted) }
        return SentInput(input: try JSONValue(body: bytes))
    }

    private var fileField: InputField? { entry.fields.first { $0.kind == .file } }

    private var accepted: String {
        let forms = "application/json, application/x-www-form-urlencoded"
        return fileField == nil ? forms : forms + ", multipart/form-data"
    }

    private func form(_ fields: FormFields) -> SentInput {
        let values = fields.dictionary
        return SentInput(input: InputField.object(fromForm: values, fields: entry.fields), typed: values)
    }

    private func multipart(_ type: MediaType, field: InputField?) async throws(Problem) -> Content {
        let limit =
            field == nil ? Int64(dashboard.configuration.maximumBodyBytes) : dashboard.configuration.maximumUploadBytes
        let body = BodyReader(exchange.request, limit: limit)
        guard var reader = MultipartReader(body, boundary: type.parameters["boundary"]) else {
            throw .malformedBody(MultipartMistake.noBoundary.detail)
        }
        let fields: FormFields
        let part: MultipartPart?
        do {
            (fields, part) = try await reader.fields(limit: dashboard.configuration.maximumBodyBytes)
        } catch {
            switch error {
            case .mistake(let mistake): throw .malformedBody(mistake.detail)
            case .transport(.tooLarge(limit: 0)):
                throw .tooLarge(limit: Int64(dashboard.configuration.maximumBodyBytes))
            case .transport(let failure): throw reader.body.problem(failure)
            }
        }
        let sent = form(fields)
        guard let part else { return .input(sent) }
        guard let field, part.name == field.name else {
            let remedy = field.map { "send it as “\($0.name)”." } ?? "this operation takes no file."
            throw .malformedBody("There is no field for a file “\(part.name.prefix(100))”: \(remedy)")
        }
        let filename = MultipartPart.plainFilename(part.filename ?? "")
        return .file(
            sent.adding(field.name, description(filename, length: nil, type: part.contentType)),
            IncomingFile(source: .multipart(reader)))
    }

    private func raw(_ filename: String, type: MediaType?, field: InputField) throws(Problem) -> Content {
        let body = BodyReader(exchange.request, limit: dashboard.configuration.maximumUploadBytes)
        if let limit = dashboard.configuration.maximumUploadBytes, body.announced ?? 0 > limit {
            throw .tooLarge(limit: limit)
        }
        var query = exchange.target.query
        query.fields.removeAll { $0.name == "filename" }
        let name = MultipartPart.plainFilename(filename)
        return .file(
            form(query).adding(field.name, description(name, length: body.announced, type: type?.name)),
            IncomingFile(source: .raw(body)))
    }

    /// A repeated request must have the same input as the first one, so its key names the file.
    private var fileID: String {
        guard let key else { return dashboard.makeID() }
        return SHA256.hash(data: Data(key.utf8)).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined()
    }

    private func description(_ filename: String, length: Int64?, type: String?) -> JSONValue {
        var members: [String: JSONValue] = ["id": .string(fileID), "filename": .string(filename)]
        members["length"] = length.map(JSONValue.integer)
        members["contentType"] = type.map { .string(String($0.prefix(255))) }
        return .object(members)
    }
}
