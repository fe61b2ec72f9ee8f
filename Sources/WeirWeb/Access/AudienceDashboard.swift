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

extension AudienceDashboard {
    /// Checks that this audience has the required right, and returns the operation of the run in the route, if it was looked
    /// up.
    ///
    /// Throws 404 for an invisible subject; otherwise 403, or 401 if the sender is anonymous. An audience with all rights skips
    /// the lookup; the route then reports missing subjects itself.
    func admit(_ requirement: Requirement, isAnonymous: Bool) async throws(Problem) -> String? {
        if requirement == .nothing { return nil }
        let refusal = isAnonymous ? Problem.unauthenticated : .forbidden
        if case .reporting(let id) = requirement {
            // Never 403: a reporter's client takes that for a newer instance of its producer, and claims its place again
            // indefinitely.
            guard permissions.allows(.report, on: .operation(id)) else {
                throw isAnonymous ? .unauthenticated : .unknownOperation(id)
            }
            return nil
        }
        guard permissions.allowsAnywhere(.see) else { throw refusal }
        switch requirement {
        case .nothing, .feed, .reporting: break
        case .anything(let verb):
            guard !permissions.isLink else { throw .noSuchPage }
            guard permissions.allowsAnywhere(verb) else { throw refusal }
        case .everything(let verb):
            guard !permissions.isLink else { throw .noSuchPage }
            guard permissions.allowsEverywhere(verb) else { throw refusal }
        case .operation(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            guard board.catalog[id] != nil else { throw .unknownOperation(id) }
            guard permissions.allows(verb, on: .operation(id)) else { throw refusal }
        case .store(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            guard board.catalog.store(id) != nil else { throw .unknownStore(id) }
            guard permissions.allows(verb, on: .store(id)) else { throw refusal }
        case .run(let verb, let id):
            if maySee(everythingAnd: verb) { break }
            do { return try await board.require(verb, onRun: id) } catch {
                throw error.code == .notAllowed ? refusal : Problem(error)
            }
        }
        return nil
    }

    private func maySee(everythingAnd verb: Verb) -> Bool {
        permissions.allowsEverywhere(.see) && permissions.allowsEverywhere(verb)
    }
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
