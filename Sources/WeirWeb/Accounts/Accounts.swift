import Hummingbird
package import WeirAccess

/// What a server of our own knows of people: the directory, and an identity provider if there is one.
package struct Accounts: Sendable {
    let directory: AccessDirectory
    let provider: (any IdentityProvider)?

    /// Makes it of its parts.
    package init(_ directory: AccessDirectory, provider: (any IdentityProvider)? = nil) {
        self.directory = directory
        self.provider = provider
    }

    /// Whether it matters who asks: nobody needs a link where nobody is asked.
    package var asksWho: Bool {
        if case .none = directory.configuration.mode { false } else { true }
    }

    /// Whether somebody may be asked to sign in.
    var canSignIn: Bool { directory.configuration.hasSignIn }
}

extension DashboardAccess {
    /// The people that a server of our own knows, with the pages to sign in and to manage them.
    package static func accounts(_ accounts: Accounts) -> DashboardAccess {
        let directory = accounts.directory
        guard case .none = directory.configuration.mode else {
            var access = authenticated(by: directory, control: directory.control)
            access.accounts = accounts
            return access
        }
        // Nobody is asked: as `open`, but for tokens, which are held to their rights, and for what came by a proxy.
        let anybody = directory.control.authorize(.localOperator)
        let check = AccessCheck(
            control: directory.control, isOpen: true, mayAnswerTails: true, anybody: anybody
        ) { head, peer in
            guard case .authorized(let authorization) = directory.authenticate(AccessRequest(head, peer: peer)),
                authorization.principal.kind == .operator
            else { return .askRoute }
            return .authorized(authorization)
        }
        var access = DashboardAccess(check: check) { request, context in
            let peer = (context as? any RemoteAddressRequestContext)?.remoteAddress
            return await directory.authenticateLookingUp(AccessRequest(request.head, peer: peer))
        }
        access.accounts = accounts
        return access
    }
}

extension AccessCheck {
    /// The check for one request where nobody is asked: a token is held to its rights, and what came by a proxy is refused.
    func narrowed(for authentication: Authentication) -> AccessCheck {
        guard isOpen, mayAnswerTails else { return self }
        if case .authorized(let authorization) = authentication, authorization.principal.kind == .operator {
            return self
        }
        return AccessCheck(control: control, isOpen: false, onEventLoop: onEventLoop)
    }
}
