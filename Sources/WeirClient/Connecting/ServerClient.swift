import AsyncHTTPClient
import Foundation
import HTTPGuards
import NIOCore
import NIOHTTP1
import NIOSSL
import States

/// Asks a server, by its HTTP API.
package final class ServerClient: Sendable {
    /// The most bytes of an answer that are read.
    private static let answerLimit = 64 * 1_024 * 1_024

    package let address: ServerAddress
    private let token: String?
    private let http: HTTPClient

    private init(_ connection: ServerConnection) throws(ClientError) {
        address = connection.address
        token = connection.token
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
            // A server holds a request for 14 s at most.
            timeout: .init(connect: .seconds(5), read: .seconds(25)))
        configuration.guardStatuses()
        // A server that refuses connections is reported at once; who asks decides whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Connects to a server for as long as the body runs.
    package static func with<Result: Sendable>(
        _ connection: ServerConnection, _ body: (ServerClient) async throws -> Result
    ) async throws -> Result {
        let client = try ServerClient(connection)
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

    /// What a request carries.
    enum Content: Sendable {
        case none
        case json(JSONValue)
        case form([(name: String, value: String)])
        case upload(FileUpload)
    }

    /// Sends a request, and returns the answer whatever its status.
    ///
    /// - Throws: `ClientError`, temporary where the server could not be reached or the answer broke off.
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
            switch content {
            case .none: break
            case .json(let value):
                request.headers.add(name: "Content-Type", value: "application/json")
                request.body = .bytes(ByteBuffer(string: try value.text()))
            case .form(let fields):
                request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
                request.body = .bytes(ByteBuffer(string: ServerAddress.form(fields)))
            case .upload(let upload):
                request.headers.add(name: "Content-Type", value: upload.contentType)
                request.body = .stream(upload, length: .known(upload.length))
            }
            let response = try await http.execute(request, timeout: .hours(24))
            let bytes = try await response.body.collect(upTo: Self.answerLimit)
            return ServerAnswer(
                status: Int(response.status.code), headers: response.headers,
                body: try? JSONValue(parsing: String(buffer: bytes)))
        } catch {
            throw ClientError(transport: error, to: address)
        }
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
