import Foundation
import HTTPTypes
import Hummingbird
import WeirAccess
import WeirPages
import WeirStates

/// The views of the list of runs that somebody has saved: names and filters, as a query.
///
/// Those of a person who is known are kept with the account, so that every browser shows them; others stay in their browser, in a
/// cookie. What a browser had kept before its reader signed in is shown, and kept with the account from the first change on.
struct RunViews {
    static let cookie = "weir-views"

    /// How many views there may be, and how many characters a name and all of them together have.
    private static let maximum = (views: 12, name: 60, text: 3_500)

    let dashboard: AudienceDashboard

    /// The views of whoever asks, also those that were saved at another server a moment ago; what cannot be read is left out.
    static func views(in exchange: Exchange) async -> [SavedView] {
        guard let person = person(in: exchange) else { return views(sent(in: exchange)) }
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
            return filter.isEmpty ? nil : SavedView(name: field.name, filter: filter)
        }
    }

    /// What the browser has kept.
    private static func sent(in exchange: Exchange) -> String { exchange.request.cookies[cookie]?.value ?? "" }

    /// Whose account keeps them; nil for the browser.
    private static func person(in exchange: Exchange) -> (principal: Principal, directory: AccessDirectory)? {
        guard let directory = exchange.directory, let admission = exchange.admission else { return nil }
        return (admission.authorization.principal, directory)
    }

    /// Saves the view that a form names, in place of one of that name, or forgets one, and shows the list.
    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: 16_384, budget: dashboard.bodies)
        let bytes = try await body.collect()
        let change = try Change(FormFields(body: bytes))
        let sent = Self.sent(in: exchange)
        let list = dashboard.mount.url(PageName.runs.path)
        var response = Response.seeOther(change.shown.isEmpty ? list : list + "?" + change.shown.query)
        guard let person = Self.person(in: exchange) else {
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

    /// What a form asks for.
    private struct Change: Sendable {
        /// The name of the view that is saved or forgotten.
        let name: String
        /// What it shows; empty for one that is forgotten.
        var shown = RunFilter()
        let isRemoval: Bool

        init(_ fields: FormFields) throws(Problem) {
            isRemoval = fields["remove"] != nil
            name = fields["remove"] ?? (fields["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            guard !isRemoval else { return }
            guard (1...RunViews.maximum.name).contains(name.count), !name.contains(where: \.isNewline) else {
                throw .malformedBody(.viewName, ["limit": "\(RunViews.maximum.name)"])
            }
            guard let query = FormFields(fields["query"] ?? "") else { throw .malformedBody(.viewFilter) }
            shown = RunFilter(parameters: query.dictionary).firstPage
        }

        /// The views as they are afterwards.
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
