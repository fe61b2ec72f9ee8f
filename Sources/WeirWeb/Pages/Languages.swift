import HTTPTypes
import Hummingbird
import WeirPages
import WeirStates

/// The choice of a language, kept in a cookie.
struct Languages {
    static let cookie = "weir-lang"

    let dashboard: AudienceDashboard

    /// Keeps the choice and sends the browser back to the page, without the choice in its address.
    func choose(_ tag: String, _ exchange: Exchange) throws(Problem) -> Response {
        guard let locale = PageLocale(tag), dashboard.renderer.locales.contains(locale) else {
            let tags = dashboard.renderer.locales.map(\.tag).joined(separator: ", ")
            throw .malformedQuery("lang", .queryOneOf, ["names": .text(tags)])
        }
        var query = exchange.target.query
        query.fields.removeAll { $0.name == "lang" }
        var response = Response.seeOther(query.fields.isEmpty ? exchange.path : exchange.path + "?" + query.text)
        response.setCookie(
            Cookie(
                name: Self.cookie, value: locale.tag, maxAge: 31_536_000, path: dashboard.mount.description,
                secure: false, httpOnly: true, sameSite: .lax))
        return response
    }
}
