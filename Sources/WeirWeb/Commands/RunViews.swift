import Foundation
import HTTPTypes
import Hummingbird
import WeirAccess
import WeirPages
import WeirStates

/// The saved views of the list of runs: names and filters, encoded as a query.
///
/// Views of known users belong to the account and appear in every browser; other views are kept in a cookie. If a user signs
/// in, the cookie's views are shown, and move to the account on the next change.
struct RunViews {
    static let cookie = "weir-views"

    /// The maximum number of views, characters of a name, and bytes of all views.
    private static let maximum = (views: 12, name: 60, text: 3_500)

    let dashboard: AudienceDashboard

    /// Returns the sender's views, including recent changes on other servers; invalid views are omitted.
    static func views(in exchange: Exchange) async -> [SavedView] {
        guard let person = exchange.person else { return views(sent(in: exchange)) }
        await person.directory.lookUp()
        return views(person.directory.views(of: person.principal) ?? sent(in: exchange))
    }

    private static func views(_ text: String) -> [SavedView] {
        guard let fields = FormFields(text) else { return [] }
        return fields.fields.prefix(maximum.views).compactMap { field in
            guard let query = FormFields(field.value), !field.name.isEmpty, field.name.count <= maximum.name else {
                return nil
            }
            let filter = RunFilter(parameters: query.dictionary).firstPage
            return filter.query.isEmpty ? nil : SavedView(name: field.name, filter: filter)
        }
    }

    private static func sent(in exchange: Exchange) -> String { exchange.request.cookies[cookie]?.value ?? "" }

    /// Saves or removes the view in a form, then redirects to the list; a view replaces another of the same name.
    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: 16_384, budget: dashboard.bodies)
        let bytes = try await body.collect()
        let change = try Change(FormFields(body: bytes))
        let sent = Self.sent(in: exchange)
        let list = dashboard.mount.url(PageName.runs.path)
        var response = Response.seeOther(change.shown.isEmpty ? list : list + "?" + change.shown.query)
        guard let person = exchange.person else {
            set(try change.applied(to: sent), in: &response)
            return response
        }
        do {
            try await person.directory.changeViews(of: person.principal) { try change.applied(to: $0 ?? sent) }
        } catch {
            throw .ofChange(error)
        }
        if !sent.isEmpty { set("", in: &response) }
        return response
    }

    private func set(_ value: String, in response: inout Response) {
        response.setCookie(
            Cookie(
                name: Self.cookie, value: value, maxAge: value.isEmpty ? 0 : 31_536_000,
                path: dashboard.mount.description, secure: false, httpOnly: true, sameSite: .lax))
    }

    private struct Change: Sendable {
        let name: String
        /// The filter; empty for a removal.
        var shown = RunFilter()
        let isRemoval: Bool

        init(_ fields: FormFields) throws(Problem) {
            isRemoval = fields["remove"] != nil
            name = fields["remove"] ?? (fields["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            guard !isRemoval else { return }
            guard name.count <= RunViews.maximum.name, VisibleTitle.isSound(name) else {
                throw .malformedBody(.viewName, ["limit": "\(RunViews.maximum.name)"])
            }
            guard let query = FormFields(fields["query"] ?? "") else { throw .malformedBody(.viewFilter) }
            shown = RunFilter(parameters: query.dictionary, repeated: query.repeated()).firstPage
            if let mistake = shown.mistake { throw Problem(mistake) }
        }

        func applied(to text: String) throws(Problem) -> String {
            var views = RunViews.views(text).filter { $0.name != name }
            if !isRemoval { views.append(SavedView(name: name, filter: shown)) }
            let text = FormFields(views.map { FormFields.Field(name: $0.name, value: $0.filter.query) }).text
            guard views.count <= RunViews.maximum.views, text.utf8.count <= RunViews.maximum.text else {
                throw .malformedBody(.tooManyViews)
            }
            return text
        }
    }
}

/// The viewer's name, kept in a cookie.
struct ViewerName {
    static let cookie = "weir-name"

    let dashboard: AudienceDashboard

    static func name(in request: Request) -> ActorName? {
        request.cookies[cookie].flatMap { PercentEncoding.decode($0.value) }.flatMap { ActorName($0) }
    }

    /// Saves the name, or removes it if empty, and redirects the browser back.
    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: 16_384, budget: dashboard.bodies)
        let bytes = try await body.collect()
        let fields = try FormFields(body: bytes)
        let name = fields["name"].flatMap { ActorName(typed: $0)?.text }.map(ReservedName.person)
        var response = Response.seeOther(dashboard.mount.wayBack(fields["back"] ?? ""))
        response.setCookie(
            Cookie(
                name: Self.cookie, value: name.map { PercentEncoding.encode($0) } ?? "",
                maxAge: name == nil ? 0 : 31_536_000,
                path: dashboard.mount.description, secure: false, httpOnly: true, sameSite: .lax))
        return response
    }
}
