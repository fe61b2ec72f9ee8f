/// Decides which runs of an operation start, wait, are joined or are refused.
///
/// Pure: no tasks or locks.
///
/// A run is *going* from its start until its work has returned. It has *ended* once it is in its end state, which may be
/// earlier. Joining and refusing depend on runs that have not ended; queueing depends on runs that are going.
struct ReentryMachine<Token: Hashable & Sendable>: Sendable {
    enum Decision: Sendable, Equatable {
        /// Starts immediately, after cancelling the given runs.
        case begin(replacing: [Token])
        /// Waits for the runs before it, after cancelling the given ones.
        case wait(replacing: [Token])
        case join(Token)
        /// Is refused because of the given run.
        case refuse(Token)
    }

    private(set) var policy: ReentryPolicy
    /// Whether a run that replaces others starts only once their work has returned.
    private(set) var waitsForReplaced: Bool
    private var going: [Token] = []
    private var ended: Set<Token> = []
    private var waiting: [Token] = []
    private var isHeld = false

    init(_ policy: ReentryPolicy, waitsForReplaced: Bool = false) {
        self.policy = policy
        self.waitsForReplaced = waitsForReplaced
    }

    /// Changes the policy; queued runs stay queued.
    mutating func take(_ policy: ReentryPolicy, waitsForReplaced: Bool = false) {
        self.policy = policy
        self.waitsForReplaced = waitsForReplaced
    }

    /// Stops starting queued runs, and returns whether a run is queued.
    mutating func hold(_ token: Token?) -> Bool {
        isHeld = true
        return token.map(waiting.contains) ?? false
    }

    /// The runs that have not ended, oldest first.
    var unended: [Token] { going.filter { !ended.contains($0) } + waiting }

    /// Decides a start.
    ///
    /// `decided` overrides the policy, for a run admitted by another server. `hasEnded` returns true for a run in its end
    /// state, even if `end` has not been called yet.
    mutating func start(
        _ token: Token, by decided: ReentryPolicy? = nil, hasEnded: (Token) -> Bool = { _ in false }
    ) -> Decision {
        func others() -> [Token] { unended.filter { !hasEnded($0) } }
        switch decided ?? policy {
        case .concurrent:
            break
        case .cancelPrevious:
            let replaced = others()
            if waitsForReplaced, !going.isEmpty {
                waiting.append(token)
                return .wait(replacing: replaced)
            }
            going.append(token)
            return .begin(replacing: replaced)
        case .joinExisting:
            if let other = others().last { return .join(other) }
        case .ignore:
            if let other = others().last { return .refuse(other) }
        case .queue:
            if !going.isEmpty {
                waiting.append(token)
                return .wait(replacing: [])
            }
        }
        going.append(token)
        return .begin(replacing: [])
    }

    /// Records that a run reached its end state; returns true if its work never started and never will.
    mutating func end(_ token: Token) -> Bool {
        if let index = waiting.firstIndex(of: token) {
            waiting.remove(at: index)
            return true
        }
        if going.contains(token) { ended.insert(token) }
        return false
    }

    /// Records that a run's work has returned; returns the queued run that starts now.
    mutating func workReturned(_ token: Token) -> Token? {
        going.removeAll { $0 == token }
        ended.remove(token)
        guard !isHeld, going.isEmpty, !waiting.isEmpty else { return nil }
        let next = waiting.removeFirst()
        going.append(next)
        return next
    }
}
