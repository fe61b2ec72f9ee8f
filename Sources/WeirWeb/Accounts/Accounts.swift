import Hummingbird
package import WeirAccess
package import WeirBoards

/// The accounts of Weir's own server: the directory, and an identity provider if one is configured.
package struct Accounts: Sendable {
    let directory: AccessDirectory
    let provider: (any IdentityProvider)?
    let mailer: Mailer?

    /// Sends a message to one receiver, and returns why it was not taken, or nil.
    package typealias Mailer = @Sendable (_ to: MailAddress, _ subject: String, _ text: String) async -> String?

    package init(_ directory: AccessDirectory, provider: (any IdentityProvider)? = nil, mailer: Mailer? = nil) {
        self.directory = directory
        self.provider = provider
        self.mailer = mailer
    }

    /// Whether authentication is on; links are pointless otherwise.
    package var asksWho: Bool {
        if case .none = directory.configuration.mode { false } else { true }
    }

    var canSignIn: Bool { directory.configuration.hasSignIn }

    /// The server's address without the path of the mount: the configured public URL, or else that of a request's host.
    func address(host: String?) -> String {
        let scheme = directory.configuration.isSecure ? "https" : "http"
        return directory.configuration.publicURL ?? "\(scheme)://\(host ?? "localhost")"
    }
}

extension DashboardAccess {
    /// Authenticates with the accounts of Weir's own server, and serves the pages to sign in and to manage them.
    package static func accounts(_ accounts: Accounts) -> DashboardAccess {
        let directory = accounts.directory
        guard case .none = directory.configuration.mode else {
            var access = authenticated(by: directory, control: directory.control)
            access.accounts = accounts
            return access
        }
        // Authentication is off: like `open`, but tokens keep their limited rights, and requests from a proxy are refused.
        let anybody = directory.control.authorize(.localOperator)
        let check = AccessCheck(
            control: directory.control, isOpen: true, mayAnswerHeld: true, anybody: anybody
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
    /// The check for one request while authentication is off: a token keeps its limited rights, and requests from a proxy are
    /// refused.
    func narrowed(for authentication: Authentication) -> AccessCheck {
        guard isOpen, mayAnswerHeld else { return self }
        if case .authorized(let authorization) = authentication, authorization.principal.kind == .operator {
            return self
        }
        return AccessCheck(control: control, isOpen: false, onEventLoop: onEventLoop)
    }
}
