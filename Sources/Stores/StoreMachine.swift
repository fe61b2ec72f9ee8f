/// Whose turn it is: the order of a store's turns and the bookkeeping of its work.
///
/// Pure; called under the store's lock.
struct StoreMachine<State: Sendable, Action: Sendable> {
    private var turns: [StoreTurn<State, Action>] = []
    private var first = 0
    private var isDraining = false
    private var nextWork = 0
    private var works: [Int: String?] = [:]

    /// The revision of the state in force.
    private(set) var revision: Int64 = 0

    /// Adds a turn; true when the caller has to take the turns from here on.
    mutating func enqueue(_ turn: StoreTurn<State, Action>) -> Bool {
        turns.append(turn)
        defer { isDraining = true }
        return !isDraining
    }

    /// The next turn, or nil when there is none and draining ends.
    mutating func next() -> StoreTurn<State, Action>? {
        guard first < turns.count else {
            turns.removeAll(keepingCapacity: turns.count < 1_024)
            first = 0
            isDraining = false
            return nil
        }
        defer { first += 1 }
        if first >= 4_096, first * 2 >= turns.count {
            turns.removeFirst(first)
            first = 0
        }
        return turns[first]
    }

    /// Counts a commit and tells its revision.
    mutating func commit() -> Int64 {
        revision += 1
        return revision
    }

    /// Takes work in and names it.
    mutating func begin(id: String?) -> Int {
        nextWork += 1
        works[nextWork] = id
        return nextWork
    }

    /// Whether the work may still dispatch.
    func isGoing(_ work: Int) -> Bool { works[work] != nil }

    /// Lets work go that has ended.
    mutating func end(_ work: Int) { works[work] = nil }

    /// Lets the work of an id go, or all with nil, and tells which that was.
    mutating func cancel(id: String?) -> [Int] {
        let gone = works.filter { id == nil || $0.value == id }.map(\.key)
        for work in gone { works[work] = nil }
        return gone
    }
}
