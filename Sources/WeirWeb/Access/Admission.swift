import WeirAccess
import WeirBoards

/// Who sends a request and what they may do at this moment, with the way to find out whether that still holds.
struct Admission: Sendable {
    let authorization: Authorization
    let check: AccessCheck

    var audience: Audience { authorization.audience }
    var permissions: Permissions { authorization.permissions }

    /// Whose dashboard it is answered from.
    var key: AudienceDashboards.Key {
        guard !check.isOpen else { return .open }
        return AudienceDashboards.Key(audience: audience, isPublic: check.isPublic(audience))
    }

    /// What the same sender may do now; nil for one who was signed out or removed.
    ///
    /// As long as nobody's rights have changed, that is one comparison.
    var current: Admission? {
        if check.isOpen { return self }
        return check.control.current(authorization).map { Admission(authorization: $0, check: check) }
    }

    /// Whether the sender may still do exactly the same.
    var isUnchanged: Bool { check.isOpen || check.control.current(authorization)?.audience == audience }
}

/// A right that a request goes on by for a while, looked at again before each piece of a body is taken or sent.
struct HeldRight: Sendable {
    private let admission: Admission
    private let holds: @Sendable (Permissions) -> Bool

    /// The right to what a route requires; the operation is that of the run which the route names.
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
            // What is answered depends on all that may be seen.
            case .anything, .feed: { _ in false }
            }
    }

    /// Whether it goes on.
    var isHeld: Bool {
        guard let now = admission.current else { return false }
        return now.audience == admission.audience || holds(now.permissions)
    }

    /// Throws `Lost` when it has been taken away.
    func check() throws(Lost) {
        guard isHeld else { throw Lost() }
    }

    /// The right was taken away while it was used.
    struct Lost: Error {}
}
