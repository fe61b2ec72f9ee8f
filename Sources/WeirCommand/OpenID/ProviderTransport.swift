import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import WeirAccess
import WeirStandard
import WeirStates

protocol ProviderTransport: Sendable {
    /// Sends a request and returns the response, without following redirects; throws an error of the kind `unreachable`.
    func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer
}

/// A request to the provider: a GET, or a POST with a form.
struct ProviderRequest: Sendable {
    let url: String
    var form: [(String, String)]?
    var authorization: String?

    init(_ url: ProviderURL) { self.url = url.text }
    init(_ url: String) { self.url = url }
}

struct ProviderAnswer: Sendable {
    let status: Int
    let body: Data
    let location: String?

    init(status: Int, body: Data, location: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
    }

    var json: JSONValue? {
        guard let value = try? JSONValue(parsing: body), value.object != nil else { return nil }
        return value
    }

    /// Parses the JSON object of a successful response; errors begin with `name`.
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

/// Sends requests over the network, with one connection per request, as sign-ins are rare.
///
/// The operator configures the provider, so its address can be in a private network.
struct ProviderClient: ProviderTransport {
    private static let maximumBytes = 1_048_576

    /// The timeout of a whole exchange: connection, request, and response with its body.
    private let timeout: Duration
    private let roots: TrustedRoots?

    init(roots: TrustedRoots? = nil, timeout: Duration = .seconds(10)) {
        self.roots = roots
        self.timeout = timeout
    }

    func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if let roots {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.certificates(roots.certificates)]
            configuration.tlsConfiguration = tls
        }
        configuration.timeout.connect = min(TimeAmount(timeout), .seconds(5))
        configuration.guardStatuses()
        let client = HTTPClient(configuration: configuration)
        // Not awaited: a pending connection ends with its own timeout.
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

/// An OAuth error response (RFC 6749, sections 4.1.2.1 and 5.2).
struct ProviderProblem {
    private let code: String
    private let text: String
    private let status: Int?

    /// The error in the query of the redirect URI, or nil if absent.
    init?(_ parameters: [String: String]) {
        guard let code = parameters["error"] else { return nil }
        (self.code, text, status) = (code, parameters["error_description"] ?? "", nil)
    }

    /// The error of the token endpoint, or nil if the status is not 4xx.
    init?(_ answer: ProviderAnswer) {
        guard (400..<500).contains(answer.status) else { return nil }
        let json = answer.json
        (code, text) = (json?["error"]?.string ?? "", json?["error_description"]?.string ?? "")
        status = answer.status
    }

    var error: IdentityProviderError {
        let kind: IdentityProviderError.Kind =
            switch code {
            case "access_denied", "consent_required", "interaction_required", "login_required": .denied
            case "invalid_client", "unauthorized_client": .client
            case "server_error", "temporarily_unavailable": .unreachable
            case "redirect_uri_mismatch": .redirect
            case "invalid_grant", "invalid_request":
                text.lowercased().contains("redirect") ? .redirect : .failed
            default: status == 401 ? .client : .failed
            }
        let said = text.isEmpty ? "" : ": \(Quoted(text))"
        let place = status.map { "The token endpoint answered \($0) with" } ?? "The provider sent the browser back with"
        return IdentityProviderError(kind, "\(place) the error \(Quoted(code))\(said).")
    }
}
