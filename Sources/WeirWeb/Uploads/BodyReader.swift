import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import Synchronization
import WeirBoards
import WeirFlows
import WeirOperations
import WeirPages
import WeirStates

/// Reads and counts a request's body, and distinguishes its end from an abort.
struct BodyReader {
    private var iterator: RequestBody.AsyncIterator
    let announced: Int64?
    private(set) var received: Int64 = 0
    private let limit: Int64?
    private let memory: BodyBudget.Share
    private let right: HeldRight?

    /// Starts reading; `limit` is the maximum length, nil for no limit; `budget` provides the memory for kept bytes.
    init(_ exchange: Exchange, limit: Int64?, budget: BodyBudget) {
        iterator = exchange.request.body.makeAsyncIterator()
        right = exchange.right
        announced = exchange.request.headers[.contentLength].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        self.limit = limit
        memory = budget.share()
    }

    mutating func next() async throws(UploadFailure) -> ByteBuffer? {
        if let limit, announced ?? 0 > limit { throw .tooLarge(limit: limit) }
        let piece: ByteBuffer?
        do {
            piece = try await iterator.next()
        } catch let stop as BodyStop {
            switch stop {
            case .tooSlow: throw .tooSlow
            case .shutdown: throw .shutdown
            case .revoked: throw .revoked
            }
        } catch {
            throw .stopped(received: received, announced: announced)
        }
        // Checked after the last piece too, before the body is used.
        guard right?.isHeld ?? true else { throw .revoked }
        guard let piece else {
            // A closed connection looks like the end of the body, except for the length.
            if let announced, received < announced { throw .stopped(received: received, announced: announced) }
            return nil
        }
        received += Int64(piece.readableBytes)
        if let limit, received > limit { throw .tooLarge(limit: limit) }
        return piece
    }

    /// Reserves memory for bytes that are kept as long as this reader.
    func keep(_ count: Int) throws(UploadFailure) {
        guard memory.grow(by: count) else { throw .crowded }
    }

    /// Reads the whole body.
    ///
    /// Throws a problem if it exceeds the limit or is aborted.
    mutating func collect() async throws(Problem) -> ByteBuffer {
        var whole = ByteBuffer()
        do {
            while var piece = try await next() {
                try keep(piece.readableBytes)
                whole.writeBuffer(&piece)
            }
        } catch {
            throw problem(error)
        }
        return whole
    }

    func problem(_ failure: UploadFailure) -> Problem {
        if let limit, failure == .tooLarge(limit: limit) { return .tooLarge(limit: limit) }
        return Problem(stoppedBy: failure) ?? .stalled
    }
}

enum BodyStop: Error, Equatable {
    case tooSlow
    case shutdown
    /// The sender has lost the permission.
    case revoked
}

/// Limits the total memory of all bodies that are being received or sent.
final class BodyBudget: Sendable {
    /// Bytes of each request body that are exempt from the shared limit, so that small bodies are always read.
    static let free = 16 * 1_024
    /// Bytes of each response body that are exempt from the shared limit, so that small responses are always sent.
    static let freeAnswer = 64 * 1_024

    /// The memory of one body, released on deinitialization.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let size = Atomic<Int>(0)

        fileprivate init(_ budget: BodyBudget) { self.budget = budget }

        /// Reserves `count` more bytes; returns false, reserving nothing, if the limit would be exceeded.
        func grow(by count: Int) -> Bool {
            let before = size.load(ordering: .relaxed)
            let (after, isOver) = before.addingReportingOverflow(count)
            guard !isOver, budget.take(max(0, after - max(before, budget.free))) else { return false }
            size.store(after, ordering: .relaxed)
            return true
        }

        deinit { budget.give(max(0, size.load(ordering: .relaxed) - budget.free)) }
    }

    private let limit: Int
    private let free: Int
    private let used = Atomic<Int>(0)

    /// Creates a budget of `limit` bytes; `free` bytes of each body are exempt.
    init(limit: Int, free: Int = BodyBudget.free) {
        self.limit = limit
        self.free = free
    }

    var taken: Int { used.load(ordering: .relaxed) }

    /// Creates a share for one body; only one task at a time may use it.
    func share() -> Share { Share(self) }

    private func take(_ count: Int) -> Bool {
        guard count > 0 else { return true }
        let after = used.add(count, ordering: .relaxed).newValue
        guard after > limit else { return true }
        give(count)
        return false
    }

    private func give(_ count: Int) { used.subtract(count, ordering: .relaxed) }
}

/// The requests whose bodies are being read; stops a body when its sender loses the permission while no data arrives.
final class BodiesBeingRead: Sendable {
    private struct Entry {
        let right: HeldRight
        let stop: @Sendable () -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Registers a request; `stop` ends its body and may be called on any thread.
    ///
    /// Returns the number to pass to ``end(_:)``.
    func begin(_ right: HeldRight, stop: @escaping @Sendable () -> Void) -> Int {
        state.withLockedValue { state in
            state.last &+= 1
            state.entries[state.last] = Entry(right: right, stop: stop)
            return state.last
        }
    }

    func end(_ number: Int) { state.withLockedValue { $0.entries[number] = nil } }

    var count: Int { state.withLockedValue { $0.entries.count } }

    func lookAtRights() {
        for entry in state.withLockedValue({ Array($0.entries.values) }) where !entry.right.isHeld { entry.stop() }
    }
}

/// Reads the input of a run from a request's body: JSON, a form, a form with a file, or a file alone.
struct InputBody {
    let dashboard: AudienceDashboard
    let exchange: Exchange
    let entry: CatalogEntry
    var key: String?

    /// An input, and a file whose bytes are still unread.
    typealias Content = (sent: SentInput, file: IncomingFile?)

    func read() async throws(Problem) -> Content {
        let type = ContentType(exchange.header(.contentType))
        _ = try fileLength()
        if let field = fileField {
            if let type, type.isMultipart { return try await multipart(type, field: field) }
            if let filename = exchange.target.query["filename"] { return try raw(filename, type: type, field: field) }
        } else if let type, type.isMultipart {
            let content = try await multipart(type, field: nil)
            guard content.file == nil else { throw .malformedBody(.noFileAccepted) }
            return content
        }
        return (try await readWithoutFile(), nil)
    }

    /// Reads a body without a file; an empty body is an empty input.
    func readWithoutFile() async throws(Problem) -> SentInput {
        var body = BodyReader(
            exchange, limit: Int64(dashboard.configuration.maximumBodyBytes), budget: dashboard.bodies)
        let type = ContentType(exchange.header(.contentType))
        let bytes = try await body.collect()
        if bytes.readableBytes == 0 { return SentInput() }
        guard let type else { throw otherMediaType }
        if type.isForm {
            return try form(try await bytes.read { (bytes) throws(Problem) in try FormFields(body: bytes) })
        }
        guard type.isJSON else { throw otherMediaType }
        return SentInput(input: try await bytes.read { (bytes) throws(Problem) in try JSONValue(body: bytes) })
    }

    private var fileField: InputField? { entry.fields.first { $0.kind == .file } }

    private var otherMediaType: Problem {
        let (json, form) = ("application/json", "application/x-www-form-urlencoded")
        return fileField == nil
            ? .unsupportedMediaType(accepted: json, form)
            : .unsupportedMediaType(accepted: json, form, "multipart/form-data")
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
        guard let part else { return (sent, nil) }
        guard let field, [field.name, field.controlName].contains(part.name) else {
            let name: Message.Value = "\(part.name.prefix(100))"
            guard let field else { throw .malformedBody(.noFileFields, ["name": name]) }
            throw .malformedBody(.noFileField, ["name": name, "field": .text(field.name)])
        }
        let filename = MultipartPart.plainFilename(part.filename ?? "")
        return (
            sent.adding(field.name, description(filename, length: try fileLength(), type: part.contentType)),
            IncomingFile(source: .multipart(reader))
        )
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
        return (
            try form(query).adding(field.name, description(name, length: body.announced, type: type?.name)),
            IncomingFile(source: .raw(body))
        )
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

extension ByteBuffer {
    /// The maximum size of a body that is parsed on the request's own thread.
    private static let small = 32 * 1_024

    /// Parses a body with `meaning`, on the threads of a pool if the body is large.
    ///
    /// Suspends while a large body is parsed. Throws the errors of `meaning`, and ``Problem/crowdedAnswers`` if the pool's
    /// queue is full.
    func read<Value: Sendable>(
        _ meaning: @escaping @Sendable (ByteBuffer) throws(Problem) -> Value
    ) async throws(Problem) -> Value {
        guard readableBytes > Self.small else { return try meaning(self) }
        return try await WorkPool.bodies.answer { try meaning(self) }
    }
}

extension JSONValue {
    /// Parses the body of a request.
    ///
    /// Numbers that are too large are texts, because a body can have members that nothing uses. Throws a problem that
    /// locates the syntax error.
    init(body: ByteBuffer) throws(Problem) {
        do {
            // Some editors and programs begin a text with a byte order mark.
            let bytes = body.readableBytesView
            self = try JSONValue(
                parsing: Data(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes),
                keepsLargeNumbers: true)
        } catch DecodingError.dataCorrupted(let context) {
            throw .malformedBody("The body is not JSON: \(context.debugDescription)")
        } catch {
            throw .malformedBody("The body is not JSON.")
        }
    }
}
