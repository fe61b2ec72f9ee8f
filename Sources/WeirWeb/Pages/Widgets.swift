import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import WeirBoards
import WeirPages
import WeirStates

/// A compact page of an operation or a run for embedding in a frame on another site.
///
/// The document contains the URL that answers after the next change; `widget.js`, or a browser without JavaScript, requests it.
struct Widgets {
    let dashboard: AudienceDashboard

    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        let (content, sequence) = try await dashboard.content(of: name)
        // Restarts the grace time of an operation that runs only while it is watched.
        dashboard.board.watch(name.topic.topic).release()
        let path = "widgets/\(name.path)/after/\(dashboard.board.epoch).\(sequence)"
        let after = content.isEnded ? nil : dashboard.mount.url(path)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.widget(content, after: after, frame: frame)
        }
    }

    /// The widget after the next change, or after 13 seconds.
    func showNext(_ name: PageName, after cursor: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let cursor = FeedCursor(cursor) else { throw .malformedPath }
        if cursor.epoch == dashboard.board.epoch, exchange.request.method == .get {
            _ = await dashboard.pollResponder.wait(
                for: name.topic.topic, after: cursor.sequence, atMost: PollSlots.length, right: exchange.right)
        }
        return try await show(name, exchange)
    }
}

/// The status of an operation as a small image for a wiki page or a README.
struct Badges {
    let dashboard: AudienceDashboard

    /// The image, revalidated on each request and sent only if it has changed.
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
