import Boards
import HTTPTypes
import Hummingbird
import Pages

/// How an operation stands, as a small picture for a wiki page or a README.
struct Badges {
    let dashboard: AudienceDashboard

    /// The picture, asked for anew at each visit.
    func show(_ operation: String, _ exchange: Exchange) throws(Problem) -> Response {
        guard dashboard.board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        let latest = dashboard.board.view().operation(operation)?.latest
        return .text(
            dashboard.renderer.badge(of: operation, latest: latest, locale: exchange.locale), type: "image/svg+xml",
            caching: "no-cache", headers: [.vary: "Accept-Language, Cookie"])
    }
}
