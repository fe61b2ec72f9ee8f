import Logging
import Synchronization
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages

/// A dashboard restricted to one audience; routes have no access to the unrestricted board and cannot reveal hidden data.
@dynamicMemberLookup
final class AudienceDashboard: Sendable {
    let audience: Audience
    /// Whether anonymous visitors see the same, so that shared caches may store answers.
    let isPublic: Bool
    let board: VisibleBoard
    let renderer: PageRenderer
    let pollResponder: PollResponder
    let streamResponder: StreamResponder
    let pages: PageCache
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

    var permissions: Permissions { audience.permissions }

    subscript<Value>(dynamicMember keyPath: KeyPath<DashboardServices, Value>) -> Value { services[keyPath: keyPath] }
}

/// The configuration, limits and services that all audiences of a dashboard share; independent of the board.
struct DashboardServices: Sendable {
    let configuration: WebConfiguration
    let mount: MountPath
    let exports: ConcurrencyLimit
    let imports = ConcurrencyLimit(RunImports.maximumReceived, each: RunImports.maximumReceivedOfOne)
    let probes = ConcurrencyLimit(ConnectionProbe.maximum)
    let assets: AssetLibrary
    let check: RequestCheck
    let stateWrites: RateLimit
    let hookStarts: RateLimit
    let bodies: BodyBudget
    /// The memory budget of large answers while clients read them.
    let answers: BodyBudget
    let resumable: ResumableUploads
    let bodiesBeingRead = BodiesBeingRead()
    let clock: any WaitClock
    let makeID: @Sendable () -> String
    let startedAt: Timestamp
    let logger: Logger
    let requests: RequestMonitor
    /// The visitors of stores' pages, or nil if presence is off.
    let presence: Presence?
    let holds = HoldCount()
    let checks: TemplateChecks
    /// Whether the server is about to shut down, while it still answers.
    let stopNotice = StopNotice()
}

/// Whether the server is about to shut down.
final class StopNotice: Sendable {
    private let isGiven = Atomic(false)

    func give() { isGiven.store(true, ordering: .relaxed) }

    var isSet: Bool { isGiven.load(ordering: .relaxed) }
}

final class HoldCount: Sendable {
    private let holding = Atomic<Int>(0)

    var count: Int { holding.load(ordering: .relaxed) }

    /// Increments the count and returns the new value.
    func add() -> Int { holding.add(1, ordering: .relaxed).newValue }

    func remove() { holding.subtract(1, ordering: .relaxed) }
}
