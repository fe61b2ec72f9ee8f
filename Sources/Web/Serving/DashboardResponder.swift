public import Hummingbird

/// Answers all requests of a server with a dashboard.
public struct DashboardResponder<Context: RequestContext>: HTTPResponder {
    private let dashboard: Dashboard

    /// Makes a responder.
    public init(_ dashboard: Dashboard, context: Context.Type = BasicRequestContext.self) { self.dashboard = dashboard }

    /// The dashboard's answer.
    ///
    /// Suspends while a request is held or a body is read; never throws.
    public func respond(to request: Request, context: Context) async throws -> Response {
        await dashboard.respond(to: request)
    }
}
