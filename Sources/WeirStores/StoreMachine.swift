#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The queue of a store's steps and the registry of its work.
///
/// Pure; called under the store's lock.
struct StoreMachine<State: Sendable, Action: Sendable> {
    private var steps: [QueuedStep<State, Action>] = []
    private var first = 0
    private var isDraining = false
    private var nextWork = 0
    private var works: [Int: String?] = [:]

    private(set) var revision: Int64 = 0

    /// Adds a step; returns true if the caller must process the queue.
    mutating func enqueue(_ step: QueuedStep<State, Action>) -> Bool {
        steps.append(step)
        defer { isDraining = true }
        return !isDraining
    }

    /// The next step, or nil if the queue is empty and processing ends.
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

    mutating func commit() -> Int64 {
        revision += 1
        return revision
    }

    mutating func begin(id: String?) -> Int {
        nextWork += 1
        works[nextWork] = id
        return nextWork
    }

    func isGoing(_ work: Int) -> Bool { works[work] != nil }

    mutating func end(_ work: Int) { works[work] = nil }

    /// Removes the work with an id, or all work if nil, and returns its numbers.
    mutating func cancel(id: String?) -> [Int] {
        let gone = works.filter { id == nil || $0.value == id }.map(\.key)
        for work in gone { works[work] = nil }
        return gone
    }
}

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

/// The identity of a thread, by which a store detects an action from its own reducer.
struct ThreadIdentity: Equatable, @unchecked Sendable {
    private let thread = pthread_self()

    static func == (left: ThreadIdentity, right: ThreadIdentity) -> Bool {
        pthread_equal(left.thread, right.thread) != 0
    }
}
