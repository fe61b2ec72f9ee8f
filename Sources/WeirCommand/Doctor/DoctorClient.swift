import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import WeirStandard
import WeirStates

/// Sends the requests of `weir doctor`, none of which changes anything or carries a token.
struct DoctorClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: JSONValue?

        /// How far the server's clock is ahead, in milliseconds, to a second; nil without a `Date` field.
        let skew: Int64?

        init(status: Int, headers: HTTPHeaders, body: JSONValue?) {
            (self.status, self.body) = (status, body)
            let time = headers.first(name: "Date").flatMap { try? Date($0, strategy: Self.dates) }
            skew = time.flatMap { Int64(exactly: ($0.timeIntervalSinceNow * 1_000).rounded()) }
        }

        private static let dates = Date.ParseStrategy(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
    }

    private static let limit = 65_536

    let url: String
    private let http: HTTPClient

    /// Runs a body with a client for a URL; `verifies` is false for a certificate that names another host than this machine.
    static func with<Result: Sendable>(
        _ url: String, verifies: Bool = true, _ body: (DoctorClient) async throws -> Result
    ) async throws -> Result {
        var tls = TLSConfiguration.makeClientConfiguration()
        if !verifies { tls.certificateVerification = .none }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.guardStatuses()
        let http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(DoctorClient(url: url.hasSuffix("/") ? url : url + "/", http: http)))
        } catch {
            outcome = .failure(error)
        }
        // Fails only if the client is shut down already.
        try? await http.shutdown()
        return try outcome.get()
    }

    func get(_ path: String, within limit: Duration = .seconds(5)) async throws -> Answer {
        let response = try await http.execute(request(path), timeout: TimeAmount(limit))
        let bytes = try await response.body.collect(upTo: Self.limit)
        return Answer(
            status: Int(response.status.code), headers: response.headers,
            body: try? JSONValue(parsing: String(buffer: bytes)))
    }

    /// Requests a stream, and passes each part of its body with the status, until `take` returns false.
    func stream(
        _ path: String, headers: [(String, String)] = [], within limit: Duration,
        take: (Int, String) -> Bool
    ) async throws {
        let response = try await http.execute(request(path, headers), timeout: TimeAmount(limit))
        let status = Int(response.status.code)
        var received = 0
        for try await part in response.body {
            received += part.readableBytes
            guard received <= Self.limit, take(status, String(buffer: part)) else { return }
        }
    }

    /// Announces a body of a length, sends nothing of it, and returns the status; nil without an answer in time.
    func announce(_ path: String, length: Int64, within limit: Duration) async throws -> Int? {
        var request = request(path)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/octet-stream")
        let (parts, source) = AsyncStream.makeStream(of: ByteBuffer.self)
        defer { source.finish() }
        request.body = .stream(parts, length: .known(length))
        do {
            return Int(try await http.execute(request, timeout: TimeAmount(limit)).status.code)
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            return nil
        }
    }

    private func request(_ path: String, _ headers: [(String, String)] = []) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url + path)
        request.headers.add(name: "User-Agent", value: "weir")
        request.headers.add(name: "Accept", value: "application/json")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        return request
    }

    /// Why a request failed, in words.
    static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.description
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        default: String("\(error)".prefix(200))
        }
    }
}
