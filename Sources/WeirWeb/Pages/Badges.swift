import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import WeirBoards
import WeirPages
import WeirStates

/// How an operation stands, as a small picture for a wiki page or a README.
struct Badges {
    let dashboard: AudienceDashboard

    /// The picture, asked for anew at each visit, and sent only where it has changed.
    func show(_ operation: String, _ exchange: Exchange) throws(Problem) -> Response {
        guard dashboard.board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        let latest = dashboard.board.view().operation(operation)?.latest
        let picture = dashboard.renderer.badge(of: operation, latest: latest, locale: exchange.locale)
        let tag = EntityTag(Hex(SHA256.hash(data: Data(picture.utf8)).prefix(16)).text)
        var headers: HTTPFields = [.vary: "Accept-Language, Cookie", .eTag: tag.field]
        if tag.isKnown(to: exchange.header(.ifNoneMatch)) {
            headers[.cacheControl] = "no-cache"
            return Response(status: .notModified, headers: headers)
        }
        return .text(picture, type: "image/svg+xml", caching: "no-cache", headers: headers)
    }
}
