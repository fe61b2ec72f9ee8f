import HTTPTypes
import Hummingbird
import WeirPages

/// Shows the table of the API as a page.
struct APIGuide {
    let dashboard: AudienceDashboard

    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        try exchange.target.query.check([])
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.api(Self.page, frame: frame)
        }
    }

    private static let page = PageAPI(
        sections: APIDescription.tags.map { tag in
            let resources = APIDescription.resources.filter { APIDescription.tag(of: $0) == tag.name }
            return PageAPI.Section(
                name: tag.name, text: tag.text,
                methods: resources.flatMap { resource in resource.methods.map { method(of: resource, $0) } })
        })

    private static func method(of resource: APIResource, _ method: APIMethod) -> PageAPI.Method {
        var shown = PageAPI.Method(
            name: method.name, method: method.method.rawValue, path: resource.path, summary: method.summary,
            right: APIDescription.right(of: resource))
        shown.parameters = method.parameters.map { .init($0.name, $0.text) }
        shown.body = method.body?.contents.map(\.type) ?? []
        shown.answers =
            method.answers.map { .init("\($0.status)", $0.text) }
            + APIDescription.statuses(of: method).map { .init("\($0)", APIDescription.problemText($0)) }
        return shown
    }
}
