/// Decides whether one more run may begin, and counts the active runs.
///
/// A pure state machine. Three limits apply: to all runs, to those of one operation and to those of one actor. The last
/// places of the first limit are reserved for operations with few runs, so that other operations, together or alone,
/// cannot take the places of one below its share. The share is a tenth of all places divided by the number of
/// operations, at least one.
struct RunAdmission: Sendable {
    struct Claim: Hashable, Sendable {
        let operation: String
        let actor: String

        /// The actor whose limit applies: each schedule is one of its own, so that none takes the places of the others.
        var share: String { actor == ScheduledStart.actor ? "\(actor) \(operation)" : actor }
    }

    /// The reason for a refusal, with the number of active runs.
    enum Refusal: Equatable, Sendable {
        case full(Int)
        /// The remaining places are reserved for operations with fewer runs.
        case kept(Int)
        case operation(Int)
        case actor(Int)
    }

    private let limits: RunLimits
    private var share = 1
    private var reserve = 0
    private(set) var count = 0
    private var ofOperation: [String: Int] = [:]
    private var ofActor: [String: Int] = [:]

    init(_ limits: RunLimits, operations: Int) {
        self.limits = limits
        resize(operations: operations)
    }

    mutating func resize(operations: Int) {
        let others = max(operations - 1, 0)
        share = max(limits.total / 10 / max(operations, 1), 1)
        reserve = others < limits.total ? min(share * others, limits.total / 2) : limits.total / 2
    }

    /// Counts a new run, or returns the refusal.
    mutating func admit(_ claim: Claim) -> Refusal? {
        let (mine, byActor) = (ofOperation[claim.operation] ?? 0, ofActor[claim.share] ?? 0)
        if mine >= limits.perOperation { return .operation(mine) }
        if byActor >= limits.perActor { return .actor(byActor) }
        if count >= limits.total { return .full(count) }
        if count >= limits.total - reserve, mine >= share { return .kept(count) }
        count += 1
        ofOperation[claim.operation] = mine + 1
        ofActor[claim.share] = byActor + 1
        return nil
    }

    mutating func release(_ claim: Claim) {
        guard let mine = ofOperation[claim.operation], let byActor = ofActor[claim.share] else { return }
        count -= 1
        ofOperation[claim.operation] = mine > 1 ? mine - 1 : nil
        ofActor[claim.share] = byActor > 1 ? byActor - 1 : nil
    }
}

/// The maximum numbers of active runs, without watched ones; values below 1 become 1.
struct RunLimits: Sendable, Equatable {
    let total: Int
    let perOperation: Int
    let perActor: Int

    init(total: Int, perOperation: Int, perActor: Int) {
        self.total = max(total, 1)
        self.perOperation = max(perOperation, 1)
        self.perActor = max(perActor, 1)
    }
}
