/// What a request says of who sends it.
package struct AccessRequest: Sendable {
    /// The address at the other end of the connection, without its port; nil where it is not known.
    package let peer: String?
    /// Whether the connection is encrypted, by this server or, as a trusted proxy says, by the proxy.
    package let isSecure: Bool
    /// All values of a header field, by its name in lower case.
    package let values: @Sendable (String) -> [String]

    /// Makes what a request says.
    package init(peer: String?, isSecure: Bool, values: @escaping @Sendable (String) -> [String]) {
        self.peer = peer
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
/// Called on event loops: must neither wait nor read files.
package protocol Authenticator: Sendable {
    /// Who sends a request, and what they may do.
    func authenticate(_ request: AccessRequest) -> Authentication
}
