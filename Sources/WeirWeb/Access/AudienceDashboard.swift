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

/// The right that a request requires: a verb and its subject.
enum Requirement: Hashable, Sendable {
    /// No right: the resource is the same for everyone, and is needed before signing in.
    case nothing
    /// A verb on at least one operation or store; the answer covers only subjects with that right.
    case anything(Verb)
    /// A verb on everything, including the server itself.
    case everything(Verb)
    case operation(Verb, String)
    case store(Verb, String)
    /// A verb on a run, and so on its operation.
    case run(Verb, String)
    /// The right to report runs of an operation, which need not be in the catalog.
    case reporting(String)
    /// The right to see the subject of a feed, which the feed's name contains.
    case feed
}

extension Route {
    /// The right that a request requires; no default, so that each new route decides explicitly.
    var requirement: Requirement {
        switch self {
        case .page(let name), .pageAfter(let name, cursor: _): name.requirement
        case .widget(let name), .widgetAfter(let name, cursor: _), .moments(let name): name.requirement
        case .presetForm(let id), .presets(let id): .operation(.start, id)
        case .operationRuns(let id), .operationUploads(let id), .operationUpload(let id, _): .operation(.start, id)
        case .badge(let id), .comparison(let id), .operationHealth(let id): .operation(.see, id)
        case .runCancellation(let run): .run(.cancel, run)
        case .runRetries(let run), .runContinuation(let run): .run(.start, run)
        // The step names its deciders; the board checks them.
        case .runDecision(let run): .run(.see, run)
        case .storeActions(let id): .store(.act, id)
        case .storeState(let id), .storeReset(let id): .store(.restore, id)
        case .storeEffect(let place): .store(.see, place.store)
        case .viewerName: .anything(.see)
        case .runOutput(let run), .runLines(let run), .runArtifact(let run, _): .run(.see, run)
        case .runExport(let run): .run(.export, run)
        case .runsExport: .anything(.export)
        case .runChange, .runViews, .pins, .apiGuide: .anything(.see)
        // The requests of its tools are checked like those of programs.
        case .assistant: .anything(.see)
        // The board checks each run.
        case .manyRunCancellations: .anything(.cancel)
        case .manyRunRetries: .anything(.start)
        case .manyRunDeletions: .everything(.administer)
        case .imports: .everything(.restore)
        case .noticeDismissal, .resumption, .serverNotificationTest: .everything(.administer)
        case .schedules, .report: .anything(.see)
        case .schedulePause(let id), .scheduleResumption(let id), .acknowledgement(let id), .acknowledgementEnd(let id):
            .operation(.start, id)
        // `HookReceiver` verifies the trigger's secret.
        case .hook: .nothing
        case .notificationTest(let id): .operation(.start, id)
        case .gallery: .anything(.see)
        case .system, .metrics: .everything(.administer)
        case .poll: .feed
        case .asset: .nothing
        case .api(let route): route.requirement
        case .healthLive, .healthReady, .healthConnection: .nothing
        case .hello: .nothing
        }
    }
}

extension PageName {
    fileprivate var requirement: Requirement {
        switch self {
        case .overview, .runs, .stores, .wall: .anything(.see)
        case .operation(let id): .operation(.see, id)
        case .run(let id): .run(.see, id)
        case .store(let id): .store(.see, id)
        }
    }
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
