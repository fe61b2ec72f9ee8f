import HTTPTypes
import NIOCore
import WeirAccess
import WeirJournals

/// The sender of a request with the permissions granted to it, and the check that tells whether they are still valid.
struct Admission: Sendable {
    let authorization: Authorization
    let check: AccessCheck

    var audience: Audience { authorization.audience }
    var permissions: Permissions { authorization.permissions }

    var key: DashboardCache.Key {
        guard !check.isOpen else { return .open }
        return DashboardCache.Key(audience: audience, isPublic: check.isPublic(audience))
    }

    /// The sender's current permissions, or nil if the session or token has ended; one comparison while no rights have changed.
    var current: Admission? {
        if check.isOpen { return self }
        return check.control.current(authorization).map { Admission(authorization: $0, check: check) }
    }

    /// The change of the sender's rights since the request was admitted, or nil if there is none.
    var change: RightsChange? {
        guard let current else { return .ended }
        return current.audience == audience ? nil : .moved(to: current.key)
    }
}

enum RightsChange: Hashable, Sendable {
    /// The sender now belongs to another audience.
    case moved(to: DashboardCache.Key)
    /// The session or token has ended.
    case ended
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

/// A right that a long request needs, checked again before each piece of a body is read or sent.
struct HeldRight: Sendable {
    private let admission: Admission
    private let holds: @Sendable (Permissions) -> Bool

    /// Creates the right that a route requires; `operation` is the operation of the run in the route.
    init(_ admission: Admission, _ requirement: Requirement, operation: String?) {
        self.admission = admission
        holds =
            switch requirement {
            case .nothing: { _ in true }
            case .operation(let verb, let id):
                { $0.allows(.see, on: .operation(id)) && $0.allows(verb, on: .operation(id)) }
            case .store(let verb, let id): { $0.allows(.see, on: .store(id)) && $0.allows(verb, on: .store(id)) }
            case .run(let verb, let id):
                { permissions in
                    operation.map { permissions.allows(verb, onRun: id, of: $0) } ?? permissions.allowsEverywhere(verb)
                }
            case .everything(let verb): { $0.allowsEverywhere(verb) }
            case .reporting(let id): { $0.allows(.report, on: .operation(id)) }
            // The answer depends on everything that is visible.
            case .feed: { $0.allowsSame(.see, as: admission.permissions) }
            case .anything(.export):
                {
                    $0.allowsSame(.see, as: admission.permissions) && $0.allowsSame(.export, as: admission.permissions)
                }
            case .anything: { _ in false }
            }
    }

    /// The right to a feed, once the operation of its run is known.
    ///
    /// The right to the whole board ends when the sender may see more or less.
    func to(_ topic: Topic, operation: String?) -> HeldRight {
        switch topic {
        case .board: self
        case .operation(let id): HeldRight(admission, .operation(.see, id), operation: nil)
        case .store(let id): HeldRight(admission, .store(.see, id), operation: nil)
        case .run(let id), .output(let id): HeldRight(admission, .run(.see, id), operation: operation)
        }
    }

    /// Whether each request identifies its principal, so that a lost right is certain to show only in a later request.
    var isOfRequest: Bool {
        switch admission.authorization.credential {
        case .request, .named: true
        case .session, .token, .link: false
        }
    }

    var isHeld: Bool {
        guard let now = admission.current else { return false }
        return now.audience == admission.audience || holds(now.permissions)
    }

    func check() throws(Lost) {
        guard isHeld else { throw Lost() }
    }

    struct Lost: Error {}
}

/// Identifies the sender of a request, on event loops and in routes.
struct AccessCheck: Sendable {
    enum Answer: Sendable {
        case authorized(Authorization)
        case refused
        case askRoute
    }

    let control: AccessControl
    /// Whether authentication is off and every request has full permissions.
    let isOpen: Bool
    /// Whether `onEventLoop` is authoritative for tails while authentication is off.
    var mayAnswerHeld = false
    /// The sender of every tail while authentication is off, or nil if `onEventLoop` checks each request.
    var anybody: Authorization?
    /// Identifies the sender of a tail before any middleware runs.
    let onEventLoop: @Sendable (HTTPRequest, SocketAddress?) -> Answer

    /// Whether anonymous visitors see the same as this audience.
    func isPublic(_ audience: Audience) -> Bool {
        isOpen || control.isAnonymous(audience)
    }

    /// The check for Weir's own server, which has no middleware to consult.
    var withoutMiddleware: AccessCheck {
        guard isOpen, !mayAnswerHeld else { return self }
        let anybody = control.authorize(.localOperator)
        return AccessCheck(control: control, isOpen: true, anybody: anybody) { _, _ in .authorized(anybody) }
    }
}

extension Problem {
    static let unauthenticated = Problem(
        "unauthenticated", .unauthorized, "Sign in",
        .unauthenticated,
        headers: [.wwwAuthenticate: "Bearer"], closes: true)

    static let forbidden = Problem(
        "forbidden", .forbidden, "Not allowed",
        .forbidden, closes: true)

    /// The sender must do something else first.
    static func required(_ duty: Principal.Duty) -> Problem {
        switch duty {
        case .changePassword:
            Problem(
                "password-change-required", .forbidden, "Change the password", .passwordChangeRequired, closes: true)
        case .setUpSecondFactor:
            Problem(
                "second-factor-required", .forbidden, "Set up a second factor", .secondFactorRequired, closes: true)
        }
    }

    init(_ refusal: Authentication.Refusal) {
        switch refusal {
        case .invalidToken:
            self.init(
                "invalid-token", .unauthorized, "Invalid token",
                .invalidToken,
                headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#], closes: true)
        case .malformed(let detail):
            self.init("malformed-header", .badRequest, "Malformed header", detail, closes: true)
        case .forwarded(let detail): self.init("forbidden", .forbidden, "Not allowed", detail, closes: true)
        }
    }
}
