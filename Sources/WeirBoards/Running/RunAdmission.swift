/// Decides whether one more run may begin, and counts those that do: pure, without tasks or locks.
///
/// Three limits bind: on all runs together, on those of one operation and on those of one actor. The last places of the
/// first are kept for operations that hold few, so that no operation, and no number of them, can take a place from one that
/// has less than its share. The share is a tenth of all places divided by the operations, at least one.
struct RunAdmission: Sendable {
    /// What a run counts for.
    struct Claim: Hashable, Sendable {
        let operation: String
        let actor: String
    }

    /// Why a run may not begin; the count is that of those going.
    enum Refusal: Equatable, Sendable {
        /// All places are taken.
        case full(Int)
        /// The places left are kept for operations that hold fewer.
        case kept(Int)
        /// The operation has as many as one may have.
        case operation(Int)
        /// The actor has as many as one may have.
        case actor(Int)
    }

    private let limits: RunLimits
    private var share = 1
    private var reserve = 0
    private(set) var count = 0
    private var ofOperation: [String: Int] = [:]
    private var ofActor: [String: Int] = [:]

    /// Creates an admission for a catalog with a number of operations.
    init(_ limits: RunLimits, operations: Int) {
        self.limits = limits
        resize(operations: operations)
    }

    /// Divides the places among another number of operations.
    mutating func resize(operations: Int) {
        let others = max(operations - 1, 0)
        share = max(limits.total / 10 / max(operations, 1), 1)
        reserve = others < limits.total ? min(share * others, limits.total / 2) : limits.total / 2
    }

    /// Counts a run in, or says why it may not begin.
    mutating func admit(_ claim: Claim) -> Refusal? {
        let (mine, byActor) = (ofOperation[claim.operation] ?? 0, ofActor[claim.actor] ?? 0)
        if mine >= limits.perOperation { return .operation(mine) }
        if byActor >= limits.perActor { return .actor(byActor) }
        if count >= limits.total { return .full(count) }
        if count >= limits.total - reserve, mine >= share { return .kept(count) }
        count += 1
        ofOperation[claim.operation] = mine + 1
        ofActor[claim.actor] = byActor + 1
        return nil
    }

    /// Counts a run out that was counted in.
    mutating func release(_ claim: Claim) {
        guard let mine = ofOperation[claim.operation], let byActor = ofActor[claim.actor] else { return }
        count -= 1
        ofOperation[claim.operation] = mine > 1 ? mine - 1 : nil
        ofActor[claim.actor] = byActor > 1 ? byActor - 1 : nil
    }
}

/// How many runs may go at a time; runs that go because somebody watches are not counted.
struct RunLimits: Sendable, Equatable {
    /// All together.
    let total: Int
    /// Those of one operation.
    let perOperation: Int
    /// Those that one actor started.
    let perActor: Int

    init(total: Int, perOperation: Int, perActor: Int) {
        self.total = max(total, 1)
        self.perOperation = max(perOperation, 1)
        self.perActor = max(perActor, 1)
    }
}
