/// Which runs of an operation go, which wait, and what a start means for them: pure, without tasks or locks.
///
/// A run is *going* from its beginning until its work has returned, and has *ended* once it is in its end state, which
/// may be earlier. Joining and refusing look at runs that have not ended; queueing waits for works to have returned.
struct ReentryMachine<Token: Hashable & Sendable>: Sendable {
    /// What a start comes to.
    enum Decision: Sendable, Equatable {
        /// It begins at once, after those runs were cancelled.
        case begin(replacing: [Token])
        /// It waits for those before it, after those runs were cancelled.
        case wait(replacing: [Token])
        /// The starter is given that run.
        case join(Token)
        /// It is refused, because of that run.
        case refuse(Token)
    }

    private(set) var policy: ReentryPolicy
    /// Whether a run that replaces others begins only when their works have returned.
    private(set) var waitsForReplaced: Bool
    private var going: [Token] = []
    private var ended: Set<Token> = []
    private var waiting: [Token] = []

    init(_ policy: ReentryPolicy, waitsForReplaced: Bool = false) {
        self.policy = policy
        self.waitsForReplaced = waitsForReplaced
    }

    /// Goes on by another policy; runs that wait for their turn keep waiting for it.
    mutating func take(_ policy: ReentryPolicy, waitsForReplaced: Bool = false) {
        self.policy = policy
        self.waitsForReplaced = waitsForReplaced
    }

    /// The runs that have not ended, oldest first.
    var unended: [Token] { going.filter { !ended.contains($0) } + waiting }

    /// What a start means.
    ///
    /// `decided` is a policy of its own, for a run that another server has admitted. `hasEnded` is true for a run that is in its
    /// end state, even if `end` has not been called yet.
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

    /// A run is in its end state.
    ///
    /// True when its work never began and never will, so that it is over altogether.
    mutating func end(_ token: Token) -> Bool {
        if let index = waiting.firstIndex(of: token) {
            waiting.remove(at: index)
            return true
        }
        if going.contains(token) { ended.insert(token) }
        return false
    }

    /// A run's work has returned: the one that begins now, if any does.
    mutating func workReturned(_ token: Token) -> Token? {
        going.removeAll { $0 == token }
        ended.remove(token)
        guard going.isEmpty, !waiting.isEmpty else { return nil }
        let next = waiting.removeFirst()
        going.append(next)
        return next
    }
}
