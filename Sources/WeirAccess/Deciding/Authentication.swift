package struct AccessRequest: Sendable {
    /// The peer's address without port, or nil if unknown.
    var peer: String? { findPeer() }
    /// Whether the connection is encrypted by this server or, according to a trusted proxy, by the proxy.
    let isSecure: Bool
    /// Returns all values of a header field, given its name in lower case.
    let values: @Sendable (String) -> [String]
    private let findPeer: @Sendable () -> String?

    /// Creates a request; the peer's address is formatted lazily, because most requests do not need it.
    package init(
        peer: @autoclosure @escaping @Sendable () -> String?, isSecure: Bool,
        values: @escaping @Sendable (String) -> [String]
    ) {
        findPeer = peer
        self.isSecure = isSecure
        self.values = values
    }
}

package enum Authentication: Sendable {
    /// The request is accepted with this authorization, possibly an anonymous one.
    case authorized(Authorization)
    case refused(Refusal)

    /// The sender's permissions, or nil if the request was refused.
    package var authorization: Authorization? {
        if case .authorized(let authorization) = self { authorization } else { nil }
    }

    package enum Refusal: Hashable, Sendable {
        /// 401: The bearer token is malformed, unknown, expired or revoked.
        ///
        /// No other credential is tried.
        case invalidToken
        /// 400: A field does not name exactly one principal; contains the reason as a sentence.
        case malformed(String)
        /// 403: Authentication is off and the request was forwarded by a proxy; contains the remedy as a sentence.
        case forwarded(String)
    }
}

package protocol Authenticator: Sendable {
    /// Authenticates a request from local data; called on event loops: must neither block nor read files.
    func authenticate(_ request: AccessRequest) -> Authentication
    /// Returns whether a request carries a credential that is unknown locally and that ``authenticateLookingUp(_:)`` may
    /// resolve.
    func mayBeKnownElsewhere(_ request: AccessRequest) -> Bool
    /// Authenticates a request, querying the storage for credentials that are unknown locally; does not run on event loops.
    func authenticateLookingUp(_ request: AccessRequest) async -> Authentication
}

extension Authenticator {
    package func mayBeKnownElsewhere(_ request: AccessRequest) -> Bool { false }
    package func authenticateLookingUp(_ request: AccessRequest) async -> Authentication { authenticate(request) }
}

/// Authenticates every request as one principal; used when authentication is off.
package struct FixedAuthenticator: Authenticator {
    private let principal: Principal
    package let control: AccessControl

    package init(_ principal: Principal, control: AccessControl) {
        self.principal = principal
        self.control = control
    }

    package var authorization: Authorization { control.authorize(principal) }

    package func authenticate(_ request: AccessRequest) -> Authentication { .authorized(authorization) }
}
