import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
package import WeirAccess
import WeirStandard
import WeirStates

/// Sends requests to the provider.
package protocol ProviderTransport: Sendable {
    /// Sends a request, and returns the answer as it is: a redirect is not followed.
    ///
    /// - Throws: `IdentityProviderError` of the kind `unreachable`.
    func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer
}

/// A request to the provider: a GET, or a POST with a form.
package struct ProviderRequest: Sendable {
    package let url: String
    package var form: [(String, String)]?
    package var authorization: String?

    init(_ url: ProviderURL) { self.url = url.text }
    init(_ url: String) { self.url = url }
}

/// What the provider answers.
package struct ProviderAnswer: Sendable {
    package let status: Int
    package let body: Data
    /// Where it redirects to, if it does.
    package let location: String?

    package init(status: Int, body: Data, location: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
    }

    /// The JSON object of an answer; nil for anything else.
    var json: JSONValue? {
        guard let value = try? JSONValue(parsing: body), value.object != nil else { return nil }
        return value
    }

    /// The JSON object of a good answer.
    ///
    /// - Parameter name: What the answer is, as a sentence begins.
    /// - Returns: The object.
    /// - Throws: `IdentityProviderError` that says what came instead.
    func document(_ name: String) throws(IdentityProviderError) -> JSONValue {
        if let location {
            throw IdentityProviderError(
                .failed, "\(name) is answered with a redirect to \(Quoted(location)), which is not followed.")
        }
        guard status == 200 else {
            throw IdentityProviderError(status >= 500 ? .unreachable : .failed, "\(name) is answered with \(status).")
        }
        guard let json else { throw IdentityProviderError(.failed, "\(name) is no JSON object.") }
        return json
    }
}

/// Sends requests over the network, with a connection for each: sign-ins are rare.
///
/// The operator has named the provider, so that its address may be in a private network.
package struct ProviderClient: ProviderTransport {
    /// No answer of a provider is as long.
    private static let maximumBytes = 1_048_576

    /// The time for a whole exchange: the connection, the request, and the answer with its body.
    private let timeout: Duration
    private let roots: TrustedRoots?

    /// Makes one that trusts what this machine trusts, and these roots besides.
    package init(roots: TrustedRoots? = nil, timeout: Duration = .seconds(10)) {
        self.roots = roots
        self.timeout = timeout
    }

    package func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if let roots {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.certificates(roots.certificates)]
            configuration.tlsConfiguration = tls
        }
        configuration.timeout.connect = min(TimeAmount(timeout), .seconds(5))
        configuration.guardStatuses()
        let client = HTTPClient(configuration: configuration)
        // Not awaited: a connection that is being made ends by its own timeout.
        defer { Task { do { try await client.shutdown() } catch { _ = error } } }
        do {
            let answer = try await withThrowingTaskGroup(of: ProviderAnswer?.self) { group in
                group.addTask { try await exchange(request, client) }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            if let answer { return answer }
        } catch {
            throw IdentityProviderError(.unreachable, "\(request.url) cannot be reached: \(error)")
        }
        throw IdentityProviderError(.unreachable, "\(request.url) has not answered in full within \(timeout).")
    }

    private func exchange(_ request: ProviderRequest, _ client: HTTPClient) async throws -> ProviderAnswer {
        var sent = HTTPClientRequest(url: request.url)
        sent.headers = ["accept": "application/json", "user-agent": "Weir"]
        if let authorization = request.authorization { sent.headers.add(name: "authorization", value: authorization) }
        if let form = request.form {
            sent.method = .POST
            sent.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            sent.body = .bytes(ByteBuffer(string: FormText.encode(form)))
        }
        let response = try await client.execute(sent, deadline: .now() + TimeAmount(timeout))
        let body = try await response.body.collect(upTo: Self.maximumBytes)
        let isRedirect = (300..<400).contains(response.status.code)
        return ProviderAnswer(
            status: Int(response.status.code), body: Data(body.readableBytesView),
            location: isRedirect ? response.headers.first(name: "location") ?? "nowhere" : nil)
    }
}
