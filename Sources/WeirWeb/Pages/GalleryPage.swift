import Hummingbird
import WeirFlows
import WeirPages

/// Every state of every operation and store.
struct GalleryPage {
    let dashboard: AudienceDashboard

    /// The gallery, or the part of it that the query names: `operation` or `store` with an id.
    ///
    /// Rendered once for an audience and a language, as it shows the same until the catalog or the templates change.
    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let section = try section(exchange)
        var frame = exchange.frame(dashboard)
        // Without parameters that mean nothing here, since each path has a document of its own in the cache.
        frame.path = dashboard.mount.url("gallery") + (section.map(\.query) ?? "")
        var closed = frame.closed
        closed.clock = nil
        let key = PageCache.Key(audience: dashboard.audience, subject: .gallery(section), frame: closed)
        let document = try await dashboard.pages.document(for: key, on: .pages) {
            [renderer = dashboard.renderer, frame] in
            renderer.openGallery(section, frame: frame)
        }
        return .page(document, for: frame, exchange)
    }

    private func section(_ exchange: Exchange) throws(Problem) -> GallerySection? {
        if let id = exchange.target.query["operation"] {
            guard dashboard.renderer.shows(.operation(id)) else { throw .unknownOperation(id) }
            return .operation(id)
        }
        guard let id = exchange.target.query["store"] else { return nil }
        guard dashboard.renderer.shows(.store(id)) else { throw .unknownStore(id) }
        return .store(id)
    }
}
