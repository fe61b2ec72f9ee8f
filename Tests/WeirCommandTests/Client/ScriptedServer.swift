import Foundation
import Synchronization
import TestSupport
import WeirStates

@testable import WeirCommand

/// A server on 127.0.0.1 that answers each request as the test says.
final class ScriptedServer: Sendable {
    struct Request: Sendable, Equatable {
        let method: String
        /// The path with its query, behind `/api/v1`.
        let path: String
        let headers: [String: String]
        let body: JSONValue?
    }

    struct Answer: Sendable {
        var status = "200 OK"
        var headers: [String: String] = [:]
        var body: JSONValue = [:]

        static func refusal(_ status: String) -> Answer {
            Answer(status: status, body: ["type": "urn:weir:problem:refused", "detail": "It is refused."])
        }

        fileprivate var text: String {
            let content = (try? body.text()) ?? ""
            let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            return RequestListener.http(status, content, fields: fields)
        }
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let log: Log
    private let listener: RequestListener

    var requests: [Request] { log.requests.withLock { $0 } }

    /// Binds; the closure is given the request's number, from 1, and the request.
    init(_ answer: @escaping @Sendable (Int, Request) -> Answer) async throws {
        let log = Log()
        self.log = log
        listener = try await RequestListener { whole in
            let request = Request(
                method: whole.method, path: whole.path.replacing("/api/v1", with: "", maxReplacements: 1),
                headers: whole.headers, body: try? JSONValue(parsing: whole.body))
            let number = log.requests.withLock { requests in
                requests.append(request)
                return requests.count
            }
            return answer(number, request).text
        }
    }

    /// Asks it for as long as the body runs.
    func with<Result: Sendable>(_ body: (ServerClient) async throws -> Result) async throws -> Result {
        let connection = try ServerConnection(.init(server: listener.url), environment: [:], profiles: .init())
        return try await ServerClient.with(connection, body)
    }
}
