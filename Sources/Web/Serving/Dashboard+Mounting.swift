public import Boards
public import Foundation
import HTTPTypes
public import Hummingbird
import Pages

extension RouterMethods {
    /// Mounts a dashboard at its configuration's mount path: pages, feeds, API and assets.
    ///
    /// The path is taken as a whole: what it has no answer to is answered with 404 or 405 by the dashboard. Polls are held
    /// by routes here: a client that leaves is noticed when its slot ends, within 14 s, or when the server shuts down. To
    /// have it noticed at once, give `dashboard.channelHandlers()` to the server too (`additionalChannelHandlers`).
    @discardableResult public func mountWeir(_ dashboard: Dashboard) -> Self {
        let path = dashboard.mount.description
        for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
            on(RouterPath(path), method: method) { request, _ in await dashboard.respond(to: request) }
            on(RouterPath(path + "/**"), method: method) { request, _ in await dashboard.respond(to: request) }
        }
        return self
    }

    /// Mounts a board's dashboard at a path, such as `/ops`, with everything else as it is by default.
    ///
    /// - Parameters:
    ///   - board: What is shown.
    ///   - path: Where, in the paths of the server.
    ///   - templates: A folder laid out as `Templates`, whose files add to the bundled ones and take their place.
    /// - Returns: The router.
    /// - Throws: `TemplateSetError`, or what the file system says, when templates or `Public` cannot be read.
    @discardableResult public func mountWeir(_ board: Board, at path: String, templates: URL? = nil) throws -> Self {
        var configuration = WebConfiguration()
        configuration.mountPath = path
        return mountWeir(
            try Dashboard(board: board, templates: TemplateSet(overlay: templates), configuration: configuration))
    }
}
