import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import WeirStandard
import WeirStates

/// Asks a server, by its HTTP API.
package final class ServerClient: Sendable {
    /// How long a server can stall before a request fails.
    package struct Deadlines: Sendable {
        /// The time in which a connection opens.
        package var connection = Duration.seconds(5)
        /// The time in which an answer begins, once the request is sent, and in which it continues.
        ///
        /// A server holds a request for 14 s at most.
        package var silence = Duration.seconds(25)
        /// The time in which an answer brings what ``ServerClient/lowestRate`` allows.
        package var answer = Duration.seconds(30)
        /// The time in which the server reads something of a file.
        package var upload = Duration.seconds(600)

        package init() {}
    }

    /// The most bytes of an answer that are read.
    private static let answerLimit = 64 * 1_024 * 1_024
    /// The lowest rate of a body in bytes a second, in either direction: the server's own limit.
    private static let lowestRate = 500

    package let address: ServerAddress
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
        // A refused connection is reported at once; the caller decides whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Connects to a server for as long as the body runs.
    package static func with<Result: Sendable>(
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
        // It only fails where it was closed before.
        do { try await http.shutdown() } catch { return }
    }

    /// The body of a request.
    enum Content: Sendable {
        case none
        case json(JSONValue)
        case form([(name: String, value: String)])
        case upload(UploadBody)
    }

    /// Sends a request, and returns the response of any status.
    ///
    /// - Throws: `ClientError`, temporary where the server could not be reached, or the answer broke off or stalled.
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

    /// Sends a request; returns when the header of the answer is here.
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

    /// Sends a request that should succeed, and returns its answer.
    ///
    /// - Throws: `ClientError` also where the server refuses it.
    package func succeed(
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
