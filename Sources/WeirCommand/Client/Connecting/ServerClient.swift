import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import WeirStandard
import WeirStates

final class ServerClient: Sendable {
    struct Deadlines: Sendable {
        var connection = Duration.seconds(5)
        /// The time from the end of the request to the start of the response, and between two parts of the response.
        ///
        /// A server holds a long poll for 14 s at most.
        var silence = Duration.seconds(25)
        /// The interval over which ``ServerClient/lowestRate`` applies to a response.
        var answer = Duration.seconds(30)
        /// The time in which the server must read some part of an uploaded file.
        var upload = Duration.seconds(600)

        init() {}
    }

    private static let answerLimit = 64 * 1_024 * 1_024
    /// The minimum rate of a body in bytes per second, in either direction, which is the server's limit too.
    private static let lowestRate = 500

    let address: ServerAddress
    private let token: String?
    private let http: HTTPClient
    private let deadlines: Deadlines
    private let clock: any Clock<Duration>

    private init(
        _ connection: ServerConnection, _ deadlines: Deadlines, _ clock: any Clock<Duration>
    ) throws(ClientError) {
        address = connection.address
        token = connection.token
        self.deadlines = deadlines
        self.clock = clock
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = connection.authority {
            do {
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
            } catch {
                throw ClientError(
                    .misconfigured,
                    "The file \(VisibleText.line(file)) holds no certificate in PEM form that can be read.")
            }
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(deadlines.connection), read: TimeAmount(deadlines.silence)))
        configuration.guardStatuses()
        // A refused connection is reported at once; the caller decides whether to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Connects to a server for the duration of the body.
    static func with<Result: Sendable>(
        _ connection: ServerConnection, deadlines: Deadlines = Deadlines(),
        clock: any Clock<Duration> = ContinuousClock(), _ body: (ServerClient) async throws -> Result
    ) async throws -> Result {
        let client = try ServerClient(connection, deadlines, clock)
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            throw error
        }
    }

    private func close() async {
        // Shutdown only fails if the client is already closed.
        do { try await http.shutdown() } catch { return }
    }

    enum Content: Sendable {
        case none
        case json(JSONValue)
        case form([(name: String, value: String)])
        case upload(UploadBody)
    }

    /// Sends a request and returns the response of any status.
    ///
    /// - Throws: `ClientError`, which is temporary if the server was unreachable, or the response was interrupted or stalled.
    func answer(
        _ method: HTTPMethod, _ path: [String], query: [(name: String, value: String)] = [],
        headers: [(String, String)] = [], content: Content = .none
    ) async throws(ClientError) -> ServerAnswer {
        var request = HTTPClientRequest(url: address.url(["api", "v1"] + path, query: query))
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "User-Agent", value: "weir")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        do {
            let response: HTTPClientResponse
            switch content {
            case .none: response = try await send(request)
            case .json(let value):
                response = try await send(request, try value.text(), type: "application/json")
            case .form(let fields):
                response = try await send(
                    request, ServerAddress.form(fields), type: "application/x-www-form-urlencoded")
            case .upload(let upload): response = try await send(request, upload)
            }
            let text = try await text(of: response.body)
            return ServerAnswer(
                status: Int(response.status.code), headers: response.headers, body: try? JSONValue(parsing: text))
        } catch {
            throw ClientError(transport: error, to: address)
        }
    }

    /// Sends a request and returns once the response's header has arrived.
    private func send(
        _ request: HTTPClientRequest, _ text: String = "", type: String? = nil
    ) async throws -> HTTPClientResponse {
        var request = request
        if let type {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(string: text))
        }
        return try await http.execute(
            request, timeout: TimeAmount(deadlines.silence) + .seconds(Int64(text.utf8.count / Self.lowestRate)))
    }

    private func send(_ request: HTTPClientRequest, _ upload: UploadBody) async throws -> HTTPClientResponse {
        var request = request
        request.headers.add(name: "Content-Type", value: upload.contentType)
        request.body = .stream(upload, length: .known(upload.length))
        return try await upload.sent.watched(atLeast: 1, in: deadlines.upload, clock: clock) { [http, request] in
            try await http.execute(request, timeout: .hours(24))
        }
    }

    private func text(of body: HTTPClientResponse.Body) async throws -> String {
        let received = ProgressCount()
        let least = Int(clamping: deadlines.answer.components.seconds).multipliedReportingOverflow(by: Self.lowestRate)
        let bytes = try await received.watched(atLeast: least.partialValue, in: deadlines.answer, clock: clock) {
            [address] in
            var bytes = ByteBuffer()
            for try await piece in body {
                received.add(piece.readableBytes)
                bytes.writeImmutableBuffer(piece)
                guard bytes.readableBytes <= Self.answerLimit else {
                    throw ClientError(
                        .foreign, "The answer of \(address) is longer than 64 MiB. Check that it is a Weir server.")
                }
            }
            return bytes
        }
        return String(buffer: bytes)
    }

    /// Sends a request and returns its successful response.
    ///
    /// - Throws: `ClientError`, also for a response without success.
    func succeed(
        get path: [String], query: [(name: String, value: String)] = []
    ) async throws(ClientError) -> ServerAnswer {
        try await succeed(.GET, path, query: query)
    }

    func succeed(
        _ method: HTTPMethod, _ path: [String], query: [(name: String, value: String)] = [],
        headers: [(String, String)] = [], content: Content = .none
    ) async throws(ClientError) -> ServerAnswer {
        let answer = try await answer(method, path, query: query, headers: headers, content: content)
        guard answer.isSuccess else { throw ClientError(answer, from: address) }
        return answer
    }
}

struct ServerAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: JSONValue?

    /// A problem document (RFC 9457) of Weir.
    struct ProblemDocument: Sendable {
        let kind: String
        let detail: String
        let fields: [(name: String, detail: String)]
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    func header(_ name: String) -> String? { headers.first(name: name) }

    /// The problem document in the body, or nil if it is not one of Weir's.
    var problem: ProblemDocument? {
        guard let kind = body?["type"]?.string, kind.hasPrefix("urn:weir:problem:") else { return nil }
        return ProblemDocument(
            kind: String(kind.dropFirst("urn:weir:problem:".count)), detail: body?["detail"]?.string ?? "",
            fields: (body?["errors"]?.array ?? []).map {
                ($0["field"]?.string ?? "", $0["detail"]?.string ?? "")
            })
    }
}

/// Counts the bytes of a transfer, to detect a stall.
final class ProgressCount: Sendable {
    struct Stalled: Error {}

    private let count = Atomic(0)

    func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }

    /// Runs an operation and throws ``Stalled`` after an interval with fewer than `least` counted bytes.
    func watched<Value: Sendable>(
        atLeast least: Int, in interval: Duration, clock: any Clock<Duration>,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: work)
            group.addTask { [self] in
                while true {
                    let before = count.load(ordering: .relaxed)
                    try await clock.sleep(for: interval)
                    guard count.load(ordering: .relaxed) &- before >= least else { throw Stalled() }
                }
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
