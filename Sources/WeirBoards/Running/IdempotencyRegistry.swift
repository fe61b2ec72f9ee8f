import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Makes sure that one key starts one run, however often and from how many sides at once it is asked for.
///
/// What a key led to stands in the journal, but for runs that were joined, which began under no key or another one: the
/// newest of those are remembered here, while the process lives.
final class IdempotencyRegistry: Sendable {
    /// What a key is the key of: the same word means something else to another actor, operation or store.
    enum Scope: Hashable, Sendable {
        case run(operation: String, actor: String, key: String)
        case store(String, actor: String, key: String)
    }

    /// A run that a request joined instead of starting one.
    struct Joined: Sendable {
        let run: String
        /// What the request asked for.
        let opening: RunOpening
    }

    private struct Memory {
        var joined: [Scope: Joined] = [:]
        var order = RingBuffer<Scope>()
    }

    /// How many joined runs are remembered.
    static let memory = 1_000

    private let limit: Int
    private let pending = Locked<[Scope: Deferred<Bool>]>([:])
    private let memory = Locked(Memory())

    /// Makes a registry for at most that many keys at a time.
    init(limit: Int = 10_000) { self.limit = limit }

    /// How many keys something is being done under.
    var count: Int { pending.withLock { $0.count } }

    /// Runs the body while nobody else runs anything under the same key.
    ///
    /// Throws `overloaded`, with nothing done, when too many keys are in use.
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

    /// The run that a request under this key joined, if that is remembered.
    func joined(under scope: Scope) -> Joined? { memory.withLock { $0.joined[scope] } }

    /// Remembers a run that was joined; the oldest is forgotten for it.
    func remember(_ joined: Joined, under scope: Scope) {
        memory.withLock { memory in
            if memory.joined.updateValue(joined, forKey: scope) == nil { memory.order.append(scope) }
            if memory.order.count > Self.memory, let oldest = memory.order.removeFirst() {
                memory.joined[oldest] = nil
            }
        }
    }

    /// Refuses a key that belongs to something else.
    static func check(
        _ opening: RunOpening, against asked: RunOpening, of entry: CatalogEntry
    ) throws(BoardError) {
        guard opening.retryOf == asked.retryOf, comparable(opening.input, entry) == comparable(asked.input, entry)
        else {
            throw BoardError(.keyReused, .keyOfInput)
        }
    }

    /// The input without the ids that files are given anew with each request.
    private static func comparable(_ input: JSONValue, _ entry: CatalogEntry) -> JSONValue {
        guard var members = input.object else { return input }
        for field in entry.fields where field.kind == .file {
            guard var file = members[field.name]?.object else { continue }
            file["id"] = nil
            members[field.name] = .object(file)
        }
        return .object(members)
    }
}
