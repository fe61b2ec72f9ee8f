import Synchronization

/// Evaluates the access rules for the current subjects and principals.
///
/// Each change of rules, subjects, users, tokens or sessions starts a new generation. Holders of an authorization call
/// `current(_:)` before they deliver data; without a change this costs one comparison.
public final class AccessControl: Sendable {
    /// Returns the principal of a credential, or nil if the credential ended or was revoked.
    ///
    /// Called on any thread; must not block.
    typealias Lookup = @Sendable (Credential) -> Principal?

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

    /// The number of cached audiences; the cache is cleared when it is full.
    private static let kept = 10_000

    private let state: Mutex<State>
    private let latest: Atomic<UInt64>

    /// Creates an access control with the given rules; the dashboard that uses it supplies the subjects.
    public convenience init(rules: AccessRules = AccessRules()) { self.init(rules: rules, subjects: []) }

    init(rules: AccessRules = AccessRules(), subjects: [Subject]) {
        state = Mutex(State(rules: rules, subjects: subjects))
        latest = Atomic(1)
    }

    /// The current generation; wait-free.
    package var generation: UInt64 { latest.load(ordering: .acquiring) }

    package var rules: AccessRules { state.withLock { $0.rules } }

    /// Replaces the rules, for new requests and for pending ones.
    public func replace(rules: AccessRules) {
        change {
            $0.rules = rules
            ($0.audiences, $0.anonymous) = ([:], nil)
        }
    }

    package func replace(subjects: [Subject]) {
        change {
            $0.subjects = subjects
            ($0.audiences, $0.anonymous) = ([:], nil)
        }
    }

    /// Starts a new generation after a change of a principal's permissions.
    public func invalidate() { change { _ in } }

    /// Sets the function that resolves Weir's own credentials; without it, none of them is valid.
    func look(up lookup: @escaping Lookup) { change { $0.lookup = lookup } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.generation &+= 1
            latest.store(state.generation, ordering: .releasing)
        }
    }

    package func authorize(_ principal: Principal) -> Authorization { authorize(principal, credential: .request) }

    /// Returns the current permissions of a credential's principal.
    ///
    /// - Parameters:
    ///   - principal: The principal.
    ///   - credential: The credential that identifies it.
    ///   - generation: The generation read before the principal was looked up, so that a change in between makes the
    ///     authorization stale; nil for principals that the request itself names.
    /// - Returns: The permissions and their generation.
    func authorize(
        _ principal: Principal, credential: Credential, asOf generation: UInt64? = nil
    ) -> Authorization {
        state.withLock { state in
            Authorization(
                principal, audience: state.audience(of: principal, atMost: Self.kept), credential: credential,
                generation: generation ?? state.generation)
        }
    }

    package func isAnonymous(_ audience: Audience) -> Bool {
        state.withLock { state in
            let anonymous = state.anonymous ?? state.audience(of: .anonymous, atMost: Self.kept)
            state.anonymous = anonymous
            return anonymous == audience
        }
    }

    /// Refreshes an authorization; returns nil if its credential ended or was revoked.
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
        // A proxy ends no credential; the lookup is nil only for a person that the directory no longer remembers.
        if principal == nil, case .named = authorization.credential {
            return authorize(authorization.principal, credential: authorization.credential, asOf: generation)
        }
        return principal.map { authorize($0, credential: authorization.credential, asOf: generation) }
    }
}

package struct Authorization: Sendable {
    package let principal: Principal
    package let audience: Audience
    /// The credential, used to look up the principal again.
    package let credential: Credential
    /// The generation of the access control at which the permissions were computed.
    let generation: UInt64

    package var permissions: Permissions { audience.permissions }

    package var isAnonymous: Bool { principal.kind == .anonymous }

    init(_ principal: Principal, audience: Audience, credential: Credential, generation: UInt64) {
        self.principal = principal
        self.audience = audience
        self.credential = credential
        self.generation = generation
    }
}

package enum Credential: Hashable, Sendable {
    /// Each request identifies its principal: a proxy's header, the app's own sign-in, or nothing; it cannot be revoked.
    case request
    /// A trusted proxy names the principal in each request; the value is the identity.
    case named(String)
    case session(String)
    case token(String)
    case link(String)
}
