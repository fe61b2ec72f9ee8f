import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Ensures that each idempotency key starts one run, also for concurrent requests.
///
/// The journal records which run a key started. It does not record requests that joined a run: the newest of these are
/// remembered here, until the process ends.
final class IdempotencyRegistry: Sendable {
    /// The scope of a key: the same key is independent for another actor, operation or store.
    enum Scope: Hashable, Sendable {
        case run(operation: String, actor: String, key: String)
        case store(String, actor: String, key: String)
    }

    struct Joined: Sendable {
        let run: String
        let opening: RunOpening
    }

    private struct Memory {
        var joined: [Scope: Joined] = [:]
        var order = RingBuffer<Scope>()
    }

    static let memory = 1_000

    private let limit: Int
    private let pending = Locked<[Scope: Deferred<Bool>]>([:])
    private let memory = Locked(Memory())

    init(limit: Int = 10_000) { self.limit = limit }

    var count: Int { pending.withLock { $0.count } }

    /// Runs the body while no other body runs for the same key.
    ///
    /// Throws `overloaded` before the body runs if too many keys are in use, and `unavailable` if the task is cancelled
    /// while it waits.
    func withLock<Result: Sendable>(
        with scope: Scope, _ body: () async throws(BoardError) -> Result
    ) async throws(BoardError) -> Result {
        let mine = Deferred<Bool>()
        while true {
            let (other, isFull) = pending.withLock { pending -> (Deferred<Bool>?, Bool) in
                if let other = pending[scope] { return (other, false) }
                guard pending.count < limit else { return (nil, true) }
                pending[scope] = mine
                return (nil, false)
            }
            if isFull {
                throw BoardError(.overloaded, .tooManyKeys)
            }
            guard let other else { break }
            guard await other.value() != nil else {
                throw BoardError(.unavailable, .otherCancelled)
            }
        }
        defer {
            pending.withLock { $0[scope] = nil }
            mine.resolve(true)
        }
        return try await body()
    }

    func joined(under scope: Scope) -> Joined? { memory.withLock { $0.joined[scope] } }

    /// Remembers a joined run, replacing the oldest one at the limit.
    func remember(_ joined: Joined, under scope: Scope) {
        memory.withLock { memory in
            if memory.joined.updateValue(joined, forKey: scope) == nil { memory.order.append(scope) }
            if memory.order.count > Self.memory, let oldest = memory.order.removeFirst() {
                memory.joined[oldest] = nil
            }
        }
    }

    /// Throws `keyReused` if the key was used for another input or retry.
    static func check(
        _ opening: RunOpening, against asked: RunOpening, of entry: CatalogEntry
    ) throws(BoardError) {
        guard opening.retryOf == asked.retryOf, comparable(opening.input, entry) == comparable(asked.input, entry)
        else {
            throw BoardError(.keyReused, .keyOfInput)
        }
    }

    /// The input without file ids, which differ in each request, and with equal numbers in one form.
    private static func comparable(_ input: JSONValue, _ entry: CatalogEntry) -> JSONValue {
        guard var members = input.withEqualNumbers.object else { return input.withEqualNumbers }
        for field in entry.fields where field.kind == .file {
            guard var file = members[field.name]?.object else { continue }
            file["id"] = nil
            members[field.name] = .object(file)
        }
        return .object(members)
    }
}
