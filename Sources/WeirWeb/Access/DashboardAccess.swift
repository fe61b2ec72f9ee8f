public import HTTPTypes
public import Hummingbird
public import NIOCore
public import WeirAccess

/// Who may use a dashboard: how a server or an app finds out who sends a request, and the rules that say what they may do.
///
/// There is no way into a dashboard without one, and none has a default.
public struct DashboardAccess<Context: RequestContext>: Sendable {
    let check: AccessCheck
    let authenticate: @Sendable (Request, Context) async throws -> Authentication
    /// The people that a server of our own knows, and their pages.
    var accounts: Accounts?

    /// Whoever reaches the dashboard may see and do everything in it.
    ///
    /// For a dashboard that only its own machine reaches, or that stands behind middleware which lets in only those who may do
    /// everything. In an app, every request passes the router and its middleware, held polls too.
    public static var open: DashboardAccess {
        let authenticator = FixedAuthenticator(.localOperator, control: AccessControl())
        return DashboardAccess(
            check: AccessCheck(control: authenticator.control, isOpen: true, onEventLoop: { _, _ in .askRoute }),
            authenticate: { _, _ in .authorized(authenticator.authorization) })
    }

    /// The app says who sends a request.
    ///
    /// - Parameters:
    ///   - authorize: Who sends a request; nil where that is not known. Called in the router, behind its middleware, for each
    ///     request. What it throws, the route throws.
    ///   - onEventLoop: Who sends a tail, the held poll of a page, where the app can say so at once, on the event loop of the
    ///     connection and before any middleware. By default the router is asked, as for every other request.
    ///   - control: The rules that say what each principal may do. By default everybody who is known may do everything. Keep
    ///     a reference to replace the rules, or to have rights that the app took away noticed within a second.
    /// - Returns: The access to mount a dashboard with.
    public static func authorizing(
        _ authorize: @escaping @Sendable (Request, Context) async throws -> Principal?,
        onEventLoop: @escaping @Sendable (_ head: HTTPRequest, _ peer: SocketAddress?) -> EventLoopAnswer = { _, _ in
            .askRoute
        },
        control: AccessControl = AccessControl(rules: .everythingForSignedIn)
    ) -> DashboardAccess {
        let check = AccessCheck(control: control, isOpen: false) { head, peer in
            switch onEventLoop(head, peer) {
            case .askRoute: .askRoute
            case .refused: .refused
            case .principal(let principal): .authorized(control.authorize(principal))
            }
        }
        return DashboardAccess(check: check) { request, context in
            .authorized(control.authorize(try await authorize(request, context) ?? .anonymous))
        }
    }

    /// An authenticator says who sends a request, on event loops too.
    ///
    /// - Parameters:
    ///   - authenticator: Who sends a request.
    ///   - control: What the authenticator authorizes by.
    /// - Returns: The access to serve or mount a dashboard with.
    package static func authenticated(by authenticator: any Authenticator, control: AccessControl) -> DashboardAccess {
        let check = AccessCheck(control: control, isOpen: false) { head, peer in
            let request = AccessRequest(head, peer: peer)
            switch authenticator.authenticate(request) {
            case .authorized(let authorization):
                return authorization.isAnonymous && authenticator.mayBeKnownElsewhere(request)
                    ? .askRoute : .authorized(authorization)
            // The route has the words.
            case .refused: return .askRoute
            }
        }
        return DashboardAccess(check: check) { request, context in
            let peer = (context as? any RemoteAddressRequestContext)?.remoteAddress
            return await authenticator.authenticateLookingUp(AccessRequest(request.head, peer: peer))
        }
    }
}

/// What an app says of a request on the event loop of its connection.
public enum EventLoopAnswer: Sendable {
    /// The request is this principal's.
    case principal(Principal)
    /// Nobody may send it.
    case refused
    /// That is not known here: the router and its middleware are asked.
    case askRoute
}

extension AccessRules {
    /// Everybody who is known may do everything; others nothing.
    public static let everythingForSignedIn = AccessRules(
        grants: [RoleGrant(Role.admin.name, to: [.signedIn])])
}

extension AccessRequest {
    /// What a request says of who sends it.
    init(_ head: HTTPRequest, peer: SocketAddress?) {
        let fields = head.headerFields
        self.init(peer: peer?.ipAddress, isSecure: head.scheme == "https") { name in
            switch name {
            // Asked for of every poll.
            case "authorization": fields[values: .authorization]
            case "cookie": fields[values: .cookie]
            default: HTTPField.Name(name).map { fields[values: $0] } ?? []
            }
        }
    }
}
