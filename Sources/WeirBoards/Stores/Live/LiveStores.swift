import WeirFlows
import WeirJournals
import WeirStates

/// The stores of a board, at work.
final class LiveStores: Sendable {
    /// One of them, and the keys its newest actions came with.
    struct Member: Sendable {
        let store: any LiveStore
        let keys: StoreKeys
    }

    private let members = Locked<[String: Member]>([:])
    private let closed = Locked(false)

    subscript(id: String) -> Member? { members.withLock { $0[id] } }

    /// Whether nothing is taken in any more.
    var isClosed: Bool { closed.withLock { $0 } }

    /// Takes a store in.
    func add(_ store: any LiveStore, keys: StoreKeys, id: String) {
        members.withLock { $0[id] = Member(store: store, keys: keys) }
    }

    /// Tells a store which of its changes was recorded.
    func recorded(_ change: Change) {
        guard case .store(let id) = change.stream else { return }
        self[id]?.store.recorded(change)
    }

    /// Releases all, once nothing more is recorded: each holds what records it, which tells them all.
    func removeAll() { members.withLock { $0 = [:] } }

    /// Ends the work of all, and takes nothing in any more.
    func close() {
        closed.withLock { $0 = true }
        for member in members.withLock({ Array($0.values) }) { member.store.stop() }
    }
}
