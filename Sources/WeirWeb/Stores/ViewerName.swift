import HTTPTypes
import Hummingbird
import WeirStates

/// The name under which somebody acts in a browser, kept in a cookie.
struct ViewerName {
    static let cookie = "weir-name"

    let dashboard: AudienceDashboard

    /// The name that a request brings; nil for none.
    static func name(in request: Request) -> ActorName? {
        request.cookies[cookie].flatMap { PercentEncoding.decode($0.value) }.flatMap { ActorName($0) }
    }

    /// Keeps a name and sends the browser back; without a name, forgets the one there was.
    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: 16_384, budget: dashboard.bodies)
        let bytes = try await body.collect()
        let fields = try FormFields(body: bytes)
        let name = fields["name"].flatMap { ActorName(typed: $0)?.text }
        var response = Response.seeOther(dashboard.mount.wayBack(fields["back"] ?? ""))
        response.setCookie(
            Cookie(
                name: Self.cookie, value: name.map { PercentEncoding.encode($0) } ?? "",
                maxAge: name == nil ? 0 : 31_536_000,
                path: dashboard.mount.description, secure: false, httpOnly: true, sameSite: .lax))
        return response
    }
}
