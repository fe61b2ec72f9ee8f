/// What a request says of who sends it.
package struct AccessRequest: Sendable {
    /// The address at the other end of the connection, without its port; nil where it is not known.
    package var peer: String? { findPeer() }
    /// Whether the connection is encrypted, by this server or, as a trusted proxy says, by the proxy.
    package let isSecure: Bool
    /// All values of a header field, by its name in lower case.
    package let values: @Sendable (String) -> [String]
    private let findPeer: @Sendable () -> String?

    /// Makes what a request says.
    ///
    /// The address is written out only where somebody asks for it, which not every poll does.
    package init(
        peer: @autoclosure @escaping @Sendable () -> String?, isSecure: Bool,
        values: @escaping @Sendable (String) -> [String]
    ) {
        findPeer = peer
        self.isSecure = isSecure
        self.values = values
    }
}

/// What came of asking who sends a request.
package enum Authentication: Sendable {
    /// It is one who may go on, with these rights; perhaps an anonymous one.
    case authorized(Authorization)
    /// It cannot go on.
    case refused(Refusal)

    /// What the sender may do; nil for one that cannot go on.
    package var authorization: Authorization? {
        if case .authorized(let authorization) = self { authorization } else { nil }
    }

    /// Why a request cannot go on.
    package enum Refusal: Hashable, Sendable {
        /// The bearer token is malformed, unknown, expired or revoked: 401.
        ///
        /// Nothing else is tried.
        case invalidToken
        /// A field that must name one principal does not: 400, with the reason as a sentence.
        case malformed(String)
        /// The request came through a proxy, and nobody is asked to sign in: 403, with what to do as a sentence.
        case forwarded(String)
    }
}

/// Says who sends a request.
///
/// `authenticate` is called on event loops: it must neither wait nor read files.
package protocol Authenticator: Sendable {
    /// Who sends a request, and what they may do.
    func authenticate(_ request: AccessRequest) -> Authentication
    /// Whether a request brings what is not known here, and may be known to `authenticateLookingUp`.
    func mayBeKnownElsewhere(_ request: AccessRequest) -> Bool
    /// The same as `authenticate`, but not on an event loop: asks others for what is not known here.
    func authenticateLookingUp(_ request: AccessRequest) async -> Authentication
}

extension Authenticator {
    package func mayBeKnownElsewhere(_ request: AccessRequest) -> Bool { false }
    package func authenticateLookingUp(_ request: AccessRequest) async -> Authentication { authenticate(request) }
}
