public import HTTPTypes
public import Hummingbird
import NIOConcurrencyHelpers
public import NIOCore
public import WeirAccess

/// Identifies the sender of each request to a dashboard and holds the rules that grant permissions.
///
/// Every dashboard requires one, and there is no default.
public struct DashboardAccess<Context: RequestContext>: Sendable {
    let check: AccessCheck
    let authenticate: @Sendable (Request, Context) async throws -> Authentication
    var accounts: Accounts?

    /// Grants full permissions to every request.
    ///
    /// Use it for a dashboard that only the local machine can reach, or behind middleware that admits only administrators. In
    /// an app, every request passes the router and its middleware, including held polls.
    public static var open: DashboardAccess {
        let authenticator = FixedAuthenticator(.localOperator, control: AccessControl())
        return DashboardAccess(
            check: AccessCheck(control: authenticator.control, isOpen: true, onEventLoop: { _, _ in .askRoute }),
            authenticate: { _, _ in .authorized(authenticator.authorization) })
    }

    /// Identifies senders with closures of the app.
    ///
    /// - Parameters:
    ///   - authorize: Returns the sender of a request, or nil for an anonymous one. Called in the router, behind its
    ///     middleware, for each request. The route rethrows its errors.
    ///   - onEventLoop: Returns the sender of a tail, the held poll of a page, if the app knows it synchronously. Called on
    ///     the connection's event loop, before any middleware. By default the router decides, as for every other request.
    ///   - control: The rules that grant permissions to principals. By default every signed-in principal has full
    ///     permissions. Keep a reference to replace the rules, or to have revoked rights take effect within a second.
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

    /// Identifies senders with an authenticator, on event loops too; `control` holds the rules that it authorizes by.
    static func authenticated(by authenticator: any Authenticator, control: AccessControl) -> DashboardAccess {
        let check = AccessCheck(control: control, isOpen: false) { head, peer in
            let request = AccessRequest(head, peer: peer)
            switch authenticator.authenticate(request) {
            case .authorized(let authorization):
                let isUnknown = authorization.isAnonymous && authenticator.mayBeKnownElsewhere(request)
                // The route supplies the message.
                return isUnknown || authorization.principal.duty != nil ? .askRoute : .authorized(authorization)
            // The route supplies the message.
            case .refused: return .askRoute
            }
        }
        return DashboardAccess(check: check) { request, context in
            let peer = (context as? any RemoteAddressRequestContext)?.remoteAddress
            return await authenticator.authenticateLookingUp(AccessRequest(request.head, peer: peer))
        }
    }
}

/// An app's answer about a request on the event loop of its connection.
public enum EventLoopAnswer: Sendable {
    /// The principal sent the request.
    case principal(Principal)
    /// The request is refused.
    case refused
    /// The event loop does not know; the router and its middleware decide.
    case askRoute
}

extension AccessRules {
    /// Grants full permissions to every signed-in principal, and none to anonymous visitors.
    public static let everythingForSignedIn = AccessRules(
        grants: [RoleGrant(Role.admin.name, to: [.signedIn])])
}

extension AccessRequest {
    init(_ head: HTTPRequest, peer: SocketAddress?) {
        let fields = head.headerFields
        self.init(peer: peer?.ipAddress, isSecure: head.scheme == "https") { name in
            switch name {
            // Every poll looks up these two.
            case "authorization": fields[values: .authorization]
            case "cookie": fields[values: .cookie]
            default: HTTPField.Name(name).map { fields[values: $0] } ?? []
            }
        }
    }
}

/// The context of a request to Weir's own server, with its connection and remote address.
package struct DashboardContext: RequestContext, RemoteAddressRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let remoteAddress: SocketAddress?
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
        channel = source.channel
    }

    /// Waits until the event loop has processed pending writes, so that the channel's writability is current.
    func settleWrites() async {
        // Fails only when the event loop has ended; later writes then fail too.
        try? await channel.eventLoop.submit {}.get()
    }

    /// Stops reading the request's body after its sender has lost the right to send it.
    func stopBody() { channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.stopBody) }

    /// Runs work and cancels it when the client closes its connection or HTTP/2 stream.
    func whileConnected<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // The handler is added first: a client that leaves in between would not be noticed.
        let watch = DepartureHandler()
        do { try await channel.pipeline.addHandler(watch).get() } catch { watch.report() }
        defer { channel.pipeline.removeHandler(watch).whenFailure { _ in } }
        let task = Task { try await work() }
        watch.onDeparture { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Reports once when the client closes its side, or when the connection ends.
private final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State {
        var hasLeft = false
        var action: (@Sendable () -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// Performs `action` when the client leaves, at once if it has left.
    func onDeparture(_ action: @escaping @Sendable () -> Void) {
        let hasLeft = state.withLockedValue { state in
            if !state.hasLeft { state.action = action }
            return state.hasLeft
        }
        if hasLeft { action() }
    }

    func report() {
        let action = state.withLockedValue { state in
            state.hasLeft = true
            return state.action.take()
        }
        action?()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { report() }
        context.fireUserInboundEventTriggered(event)
    }

    // A closing channel removes its handlers; earlier handlers may not forward `channelInactive`.
    func handlerRemoved(context: ChannelHandlerContext) { report() }
}
