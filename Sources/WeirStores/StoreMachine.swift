/// The queue of a store's steps, and the state of its work.
///
/// Pure; called under the store's lock.
struct StoreMachine<State: Sendable, Action: Sendable> {
    private var steps: [QueuedStep<State, Action>] = []
    private var first = 0
    private var isDraining = false
    private var nextWork = 0
    private var works: [Int: String?] = [:]

    /// The revision of the current state.
    private(set) var revision: Int64 = 0

    /// Adds a step; returns true if the caller must take the steps from here on.
    mutating func enqueue(_ step: QueuedStep<State, Action>) -> Bool {
        steps.append(step)
        defer { isDraining = true }
        return !isDraining
    }

    /// The next step, or nil when there is none and draining ends.
    mutating func next() -> QueuedStep<State, Action>? {
        guard first < steps.count else {
            steps.removeAll(keepingCapacity: steps.count < 1_024)
            first = 0
            isDraining = false
            return nil
        }
        defer { first += 1 }
        if first >= 4_096, first * 2 >= steps.count {
            steps.removeFirst(first)
            first = 0
        }
        return steps[first]
    }

    /// Counts a commit and returns its revision.
    mutating func commit() -> Int64 {
        revision += 1
        return revision
    }

    /// Registers work and returns its number.
    mutating func begin(id: String?) -> Int {
        nextWork += 1
        works[nextWork] = id
        return nextWork
    }

    /// Whether the work may still dispatch.
    func isGoing(_ work: Int) -> Bool { works[work] != nil }

    /// Removes work that has ended.
    mutating func end(_ work: Int) { works[work] = nil }

    /// Removes the work with an id, or all work with nil, and returns its numbers.
    mutating func cancel(id: String?) -> [Int] {
        let gone = works.filter { id == nil || $0.value == id }.map(\.key)
        for work in gone { works[work] = nil }
        return gone
    }
}

/// A step that a store has still to take; it takes one at a time.
struct QueuedStep<State: Sendable, Action: Sendable>: Sendable {
    enum Kind: Sendable {
        case action(Action)
        case rehydrate(State)
        case reset
    }

    let kind: Kind
    let cause: String?
    let context: (any CommitContext)?
    let settlement: Settlement
}
