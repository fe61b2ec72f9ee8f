import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirOperations
import WeirPages
import WeirStates

/// Reads the input of a run from a request's body: JSON, a form, a form with a file, or a file alone.
struct InputBody {
    let dashboard: AudienceDashboard
    let exchange: Exchange
    let entry: CatalogEntry
    var key: String?

    /// An input, with a file whose bytes are still unread.
    enum Content {
        case input(SentInput)
        case file(SentInput, IncomingFile)
    }

    func read() async throws(Problem) -> Content {
        let type = ContentType(exchange.header(.contentType))
        _ = try fileLength()
        if let field = fileField {
            if let type, type.isMultipart { return try await multipart(type, field: field) }
            if let filename = exchange.target.query["filename"] { return try raw(filename, type: type, field: field) }
        } else if let type, type.isMultipart {
            guard case .input(let sent) = try await multipart(type, field: nil) else {
                throw .malformedBody(.noFileAccepted)
            }
            return .input(sent)
        }
        return .input(try await readWithoutFile())
    }

    /// Reads a body without a file; an empty body is an empty input.
    func readWithoutFile() async throws(Problem) -> SentInput {
        var body = BodyReader(
            exchange, limit: Int64(dashboard.configuration.maximumBodyBytes), budget: dashboard.bodies)
        let type = ContentType(exchange.header(.contentType))
        let bytes = try await body.collect()
        if bytes.readableBytes == 0 { return SentInput() }
        guard let type else { throw .unsupportedMediaType(accepted: accepted) }
        if type.isForm {
            return try form(try await bytes.read { (bytes) throws(Problem) in try FormFields(body: bytes) })
        }
        guard type.isJSON else { throw .unsupportedMediaType(accepted: accepted) }
        return SentInput(input: try await bytes.read { (bytes) throws(Problem) in try JSONValue(body: bytes) })
    }

    private var fileField: InputField? { entry.fields.first { $0.kind == .file } }

    private var accepted: String {
        let forms = "application/json, application/x-www-form-urlencoded"
        return fileField == nil ? forms : forms + ", multipart/form-data"
    }

    private func form(_ fields: FormFields) throws(Problem) -> SentInput {
        let values = try fields.values(of: entry.fields)
        let secret = Set(entry.fields.filter(\.isSecret).map(\.name))
        let mask = SecretMask(values.filter { secret.contains($0.key) }.values)
        return SentInput(
            input: InputField.object(
                fromForm: values, fields: entry.fields, decimal: dashboard.decimalMark(exchange)),
            typed: values.filter { !secret.contains($0.key) }.mapValues(mask.masked))
    }

    private func multipart(_ type: ContentType, field: InputField?) async throws(Problem) -> Content {
        let limit =
            field == nil ? Int64(dashboard.configuration.maximumBodyBytes) : dashboard.configuration.maximumUploadBytes
        let body = BodyReader(exchange, limit: limit, budget: dashboard.bodies)
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
        let sent = try form(fields)
        guard let part else { return .input(sent) }
        guard let field, [field.name, field.controlName].contains(part.name) else {
            let name: Message.Value = "\(part.name.prefix(100))"
            guard let field else { throw .malformedBody(.noFileFields, ["name": name]) }
            throw .malformedBody(.noFileField, ["name": name, "field": .text(field.name)])
        }
        let filename = MultipartPart.plainFilename(part.filename ?? "")
        return .file(
            sent.adding(field.name, description(filename, length: try fileLength(), type: part.contentType)),
            IncomingFile(source: .multipart(reader)))
    }

    /// The length of the file in a form, as the client announces it; the length of the whole body does not determine it.
    private func fileLength() throws(Problem) -> Int64? {
        guard let sent = exchange.header(.uploadLength) else { return nil }
        guard let length = Int64(sent), length >= 0 else {
            throw Problem(
                "malformed-header", .badRequest, "Malformed header",
                "Upload-Length must be the length of the file in bytes, a whole number such as 1048576.",
                errors: [.init(field: "Upload-Length", detail: "must be a whole number of bytes")])
        }
        if let limit = dashboard.configuration.maximumUploadBytes, length > limit { throw .fileTooLarge(limit: limit) }
        return length
    }

    private func raw(_ filename: String, type: ContentType?, field: InputField) throws(Problem) -> Content {
        let body = BodyReader(
            exchange, limit: dashboard.configuration.maximumUploadBytes, budget: dashboard.bodies)
        if let limit = dashboard.configuration.maximumUploadBytes, body.announced ?? 0 > limit {
            throw .fileTooLarge(limit: limit)
        }
        var query = exchange.target.query
        // Proxies and browsers record URLs, so secrets are never taken from one.
        let secret = Set(entry.fields.filter(\.isSecret).map(\.name))
        query.fields.removeAll { $0.name == "filename" || secret.contains($0.name) }
        let name = MultipartPart.plainFilename(filename)
        return .file(
            try form(query).adding(field.name, description(name, length: body.announced, type: type?.name)),
            IncomingFile(source: .raw(body)))
    }

    /// The file's id; a repeated request must find the file of the first one, so the id is derived from the key, the
    /// operation and the principal, which keeps other principals from reaching it.
    private var fileID: String {
        guard let key else { return dashboard.makeID() }
        // Neither an id nor a key contains a line break, so the concatenation is unambiguous.
        let whose = exchange.principalKey ?? exchange.actor
        return String(Hex(SHA256.hash(data: Data("\(entry.id)\n\(key)\n\(whose)".utf8))).text.prefix(32))
    }

    private func description(_ filename: String, length: Int64?, type: String?) -> JSONValue {
        var members: [String: JSONValue] = ["id": .string(fileID), "filename": .string(filename)]
        members["length"] = length.map(JSONValue.integer)
        members["contentType"] = type.map { .string(String($0.prefix(255))) }
        return .object(members)
    }
}

extension AudienceDashboard {
    /// The decimal mark of a form: that of the language of its page, and a point in requests of programs.
    func decimalMark(_ exchange: Exchange) -> String {
        exchange.route.isForPrograms ? "." : renderer.decimalMark(exchange.locale)
    }
}

struct SentInput: Sendable {
    /// The values as a JSON object, still unvalidated.
    var input: JSONValue = [:]
    /// The text of form fields by name, to show again after an error.
    var typed: [String: String] = [:]
    /// Whether `typed` is the input of a run instead.
    var isRecorded = false

    var isEmpty: Bool { input == [:] }

    static func texts(of input: JSONValue) -> [String: String] {
        (input.object ?? [:]).mapValues(\.formText).filter { !$0.value.isEmpty }
    }

    func adding(_ name: String, _ value: JSONValue) -> SentInput {
        var result = self
        var members = input.object ?? [:]
        members[name] = value
        result.input = .object(members)
        return result
    }
}
