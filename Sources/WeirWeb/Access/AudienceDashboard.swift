import WeirAccess
import WeirBoards
import WeirPages

/// A dashboard as one audience sees it: all that the routes are given of it.
///
/// The board itself is out of their reach, so that nothing they do can show what may not be seen.
@dynamicMemberLookup
final class AudienceDashboard: Sendable {
    /// Everybody who is shown the same.
    let audience: Audience
    /// Whether that is also shown to whoever is not known, so that anybody's cache may keep it.
    let isPublic: Bool
    let board: VisibleBoard
    let renderer: PageRenderer
    let pollResponder: PollResponder
    let streamResponder: StreamResponder
    let pages: PageCache
    /// The figures of operations, of at most 64 or so.
    let healths = GenerationCache<HealthPage.Key, OperationHealth>(limit: 64)
    private let services: DashboardServices

    init(
        _ audience: Audience, isPublic: Bool, board: VisibleBoard, renderer: PageRenderer, services: DashboardServices,
        caches: PollCaches, softCap: Int
    ) {
        self.audience = audience
        self.isPublic = isPublic
        self.board = board
        self.renderer = renderer
        self.services = services
        pages = caches.pages
        pollResponder = PollResponder(
            board: board, renderer: renderer, mount: services.mount, clock: services.clock, softCap: softCap,
            audience: isPublic ? nil : audience.label, caches: caches, holds: services.holds,
            presence: services.presence)
        streamResponder = StreamResponder(board: board, polls: pollResponder, clock: services.clock)
    }

    /// What this audience may do.
    var permissions: Permissions { audience.permissions }

    subscript<Value>(dynamicMember keyPath: KeyPath<DashboardServices, Value>) -> Value { services[keyPath: keyPath] }
}
