package import Hummingbird
import WeirAccess

/// Answers all requests of a server with a dashboard.
package struct DashboardResponder<Context: RequestContext>: HTTPResponder {
    private let dashboard: Dashboard
    private let access: DashboardAccess<Context>

    /// Makes a responder; whoever serves with it attaches the dashboard.
    ///
    /// - Parameters:
    ///   - dashboard: What answers.
    ///   - access: Who may use it.
    package init(_ dashboard: Dashboard, access: DashboardAccess<Context>) {
        self.dashboard = dashboard
        self.access = access
    }

    /// The dashboard's answer.
    ///
    /// Suspends while a request is held or a body is read; throws what the app throws where it says who asks.
    package func respond(to request: Request, context: Context) async throws -> Response {
        try await answer(request, context).paced(on: context as? DashboardContext)
    }

    private func answer(_ request: Request, _ context: Context) async throws -> Response {
        let authentication = try await access.authenticate(request, context)
        let stopBody = (context as? DashboardContext).map { context in { @Sendable in context.stopBody() } }
        guard let accounts = access.accounts else {
            return await dashboard.respond(
                to: request, authentication, check: access.check, stopBody: stopBody)
        }
        let peer = (context as? any RemoteAddressRequestContext)?.remoteAddress?.ipAddress
        let origin = RequestOrigin(
            accounts: accounts,
            audit: AuditOrigin(
                address: accounts.directory.address(peer: peer, forwardedFor: request.headers[values: .forwardedFor]),
                request: context.id))
        let check = access.check.narrowed(for: authentication)
        let pages = AccountResponder(dashboard: dashboard, accounts: accounts, check: check)
        if let response = await pages.respond(
            to: request, authentication, from: origin, peer: peer, on: context as? DashboardContext)
        {
            return response
        }
        let response = await dashboard.respond(
            to: request, authentication, check: check, from: origin, stopBody: stopBody)
        return pages.signInRedirect(for: response.status, request, request.head.path ?? "") ?? response
    }
}
