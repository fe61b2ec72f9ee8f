import WeirAccess
import WeirBoards
import WeirPages

/// What is shown of one catalog: its pages, and a dashboard for each audience.
struct DashboardEdition: Sendable {
    let renderer: PageRenderer
    /// The dashboard of those who may do everything where nobody is asked who they are.
    let everything: AudienceDashboard
    /// The dashboard of those who may see nothing: of what is the same for everybody.
    let nothing: AudienceDashboard
    private let board: Board
    private let make: @Sendable (VisibleBoard, AudienceDashboards.Key, Catalog) -> AudienceDashboard

    /// Shows the catalog that the board has now.
    init(_ board: Board, renderer: PageRenderer, services: DashboardServices) {
        self.board = board
        self.renderer = renderer
        // What was rendered of another catalog is of no use.
        let caches = PollCaches()
        make = { visible, key, pages in
            AudienceDashboard(
                key.audience, isPublic: key.isPublic, board: visible,
                renderer: renderer.restricted(to: pages, permissions: visible.permissions), services: services,
                caches: caches, softCap: services.configuration.maximumHolds)
        }
        everything = make(VisibleBoard(whole: board), .open, board.catalog)
        nothing = make(VisibleBoard(nothingOf: board), .nobody, Catalog())
    }

    /// Makes the dashboard of an audience.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    func dashboard(for key: AudienceDashboards.Key) async throws(BoardError) -> AudienceDashboard {
        let visible = try await VisibleBoard(board, for: key.audience.permissions)
        return make(visible, key, try await visible.pageCatalog())
    }
}
