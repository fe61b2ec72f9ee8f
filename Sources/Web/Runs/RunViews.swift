import Foundation
import HTTPTypes
import Hummingbird
import Pages
import States

/// The views of the list of runs that somebody has saved in a browser, kept in a cookie: names and filters as a query.
struct RunViews {
    static let cookie = "weir-views"

    /// How many views a browser keeps, and how many characters a name and the whole cookie have.
    private static let maximum = (views: 12, name: 60, cookie: 3_500)

    let dashboard: AudienceDashboard

    /// The views that a request brings; what cannot be read is left out.
    static func views(in request: Request) -> [SavedView] {
        guard let text = request.cookies[cookie]?.value, let fields = FormFields(text) else { return [] }
        return fields.fields.prefix(maximum.views).compactMap { field in
            guard let query = FormFields(field.value), !field.name.isEmpty, field.name.count <= maximum.name else {
                return nil
            }
            let filter = RunFilter(parameters: query.dictionary).firstPage
            return filter.isEmpty ? nil : SavedView(name: field.name, filter: filter)
        }
    }

    /// Saves the view that a form names, in place of one of that name, or forgets one, and shows the list.
    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: 16_384, budget: dashboard.bodies)
        let bytes = try await body.collect()
        let fields = try FormFields(body: bytes)
        var views = Self.views(in: exchange.request)
        var shown = RunFilter()
        if let name = fields["remove"] {
            views.removeAll { $0.name == name }
        } else {
            let name = (fields["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            guard (1...Self.maximum.name).contains(name.count), !name.contains(where: \.isNewline) else {
                throw .malformedBody(.viewName, ["limit": "\(Self.maximum.name)"])
            }
            guard let query = FormFields(fields["query"] ?? "") else {
                throw .malformedBody(.viewFilter)
            }
            shown = RunFilter(parameters: query.dictionary).firstPage
            views.removeAll { $0.name == name }
            views.append(SavedView(name: name, filter: shown))
        }
        let value = FormFields(views.map { FormFields.Field(name: $0.name, value: $0.filter.query) }).text
        guard views.count <= Self.maximum.views, value.utf8.count <= Self.maximum.cookie else {
            throw .malformedBody(.tooManyViews)
        }
        let list = dashboard.mount.url(PageName.runs.path)
        var response = Response.seeOther(shown.isEmpty ? list : list + "?" + shown.query)
        response.setCookie(
            Cookie(
                name: Self.cookie, value: value, maxAge: views.isEmpty ? 0 : 31_536_000,
                path: dashboard.mount.description, secure: false, httpOnly: true, sameSite: .lax))
        return response
    }
}
