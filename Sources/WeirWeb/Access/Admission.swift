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

    var isUnchanged: Bool { check.isOpen || check.control.current(authorization)?.audience == audience }
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
            case .anything, .feed: { _ in false }
            }
    }

    /// The right to a feed, once the operation of its run is known.
    ///
    /// The right to the whole board ends with any change of the audience.
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
