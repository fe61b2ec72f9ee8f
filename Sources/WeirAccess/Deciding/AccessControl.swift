import Synchronization

/// The rules in force on the subjects there are, and who is known at this moment.
///
/// Every change of rules, subjects, users, tokens or sessions begins a new generation. What carries an authorization asks
/// `current(_:)` before it delivers anything: that costs one comparison as long as nothing has changed.
public final class AccessControl: Sendable {
    /// Looks up who a credential belongs to; nil when it has ended or was revoked.
    ///
    /// Called on any thread, must not wait.
    package typealias Lookup = @Sendable (Credential) -> Principal?

    private struct State {
        var rules: AccessRules
        var subjects: [Subject]
        var generation: UInt64 = 1
        var audiences: [Principal: Audience] = [:]
        var anonymous: Audience?
        var lookup: Lookup?

        mutating func audience(of principal: Principal, atMost kept: Int) -> Audience {
            if let known = audiences[principal] { return known }
            let audience = Audience(rules.permissions(of: principal, on: subjects))
            if audiences.count >= kept { audiences = [:] }
            audiences[principal] = audience
            return audience
        }
    }

    /// How many principals' audiences are kept, before all are let go of.
    private static let kept = 10_000

    private let state: Mutex<State>
    private let latest: Atomic<UInt64>

    /// Puts rules in force; what there is to have rights on is said by the dashboard that is mounted with them.
    public convenience init(rules: AccessRules = AccessRules()) { self.init(rules: rules, subjects: []) }

    /// Puts rules in force on certain subjects.
    package init(rules: AccessRules = AccessRules(), subjects: [Subject]) {
        state = Mutex(State(rules: rules, subjects: subjects))
        latest = Atomic(1)
    }

    /// Which generation is in force.
    ///
    /// Wait-free.
    package var generation: UInt64 { latest.load(ordering: .acquiring) }

    /// The rules in force.
    package var rules: AccessRules { state.withLock { $0.rules } }

    /// Puts other rules in force, for all requests from now on and those that wait.
    public func replace(rules: AccessRules) {
        change {
            $0.rules = rules
            ($0.audiences, $0.anonymous) = ([:], nil)
        }
    }

    /// Says which subjects there are now.
    package func replace(subjects: [Subject]) {
        change {
            $0.subjects = subjects
            ($0.audiences, $0.anonymous) = ([:], nil)
        }
    }

    /// Begins a new generation, as somebody's rights may have changed.
    public func invalidate() { change { _ in } }

    /// Says who looks up credentials that Weir holds.
    ///
    /// Without it none is known.
    package func look(up lookup: @escaping Lookup) { change { $0.lookup = lookup } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.generation &+= 1
            latest.store(state.generation, ordering: .releasing)
        }
    }

    /// What a principal may do now.
    package func authorize(_ principal: Principal) -> Authorization { authorize(principal, credential: .request) }

    /// What the principal of a credential may do now.
    ///
    /// - Parameters:
    ///   - principal: Whom the credential belongs to.
    ///   - credential: What says so.
    ///   - generation: Which generation was in force before the principal was looked up; nil for one that is as the request says.
    ///     What changes in between makes a later one, so that the authorization is looked at again.
    /// - Returns: The rights, with the generation they are of.
    package func authorize(
        _ principal: Principal, credential: Credential, asOf generation: UInt64? = nil
    ) -> Authorization {
        state.withLock { state in
            Authorization(
                principal, audience: state.audience(of: principal, atMost: Self.kept), credential: credential,
                generation: generation ?? state.generation)
        }
    }

    /// Whether an audience is that of whoever is not known.
    package func isAnonymous(_ audience: Audience) -> Bool {
        state.withLock { state in
            let anonymous = state.anonymous ?? state.audience(of: .anonymous, atMost: Self.kept)
            state.anonymous = anonymous
            return anonymous == audience
        }
    }

    /// What the holder of an authorization may do now; nil when it has been signed out, revoked or removed.
    package func current(_ authorization: Authorization) -> Authorization? {
        let generation = generation
        if authorization.generation == generation { return authorization }
        let principal: Principal?
        if case .request = authorization.credential {
            principal = authorization.principal
        } else {
            let lookup = state.withLock { $0.lookup }
            principal = lookup?(authorization.credential)
        }
        return principal.map { authorize($0, credential: authorization.credential, asOf: generation) }
    }
}
