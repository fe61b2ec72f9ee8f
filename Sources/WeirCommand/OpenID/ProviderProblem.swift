import WeirAccess
import WeirStates

/// An error that the provider names (RFC 6749, sections 4.1.2.1 and 5.2).
struct ProviderProblem {
    private let code: String
    private let text: String
    private let status: Int?

    /// The error in the address with which a browser comes back; nil without one.
    init?(_ parameters: [String: String]) {
        guard let code = parameters["error"] else { return nil }
        (self.code, text, status) = (code, parameters["error_description"] ?? "", nil)
    }

    /// The error of the token endpoint; nil for a good answer.
    init?(_ answer: ProviderAnswer) {
        guard (400..<500).contains(answer.status) else { return nil }
        let json = answer.json
        (code, text) = (json?["error"]?.string ?? "", json?["error_description"]?.string ?? "")
        status = answer.status
    }

    /// What it means for whoever signs in, and for the log.
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
