import Flows
import Journals
import Operations
import States

/// Makes sure that one key starts one run, however often and from how many sides at once it is asked for.
final class IdempotencyDesk: Sendable {
    private let pending = Locked<[String: Deferred<Bool>]>([:])

    /// Does something while nobody else does anything under the same key.
    func alone<Result: Sendable>(
        with key: String, _ body: () async throws(BoardError) -> Result
    ) async throws(BoardError) -> Result {
        let mine = Deferred<Bool>()
        while let other = pending.withLock({ pending -> Deferred<Bool>? in
            if let other = pending[key] { return other }
            pending[key] = mine
            return nil
        }) {
            guard await other.value() != nil else {
                throw BoardError(.unavailable, "The request was given up while another of the same key was going on.")
            }
        }
        defer {
            pending.withLock { $0[key] = nil }
            mine.resolve(true)
        }
        return try await body()
    }

    /// Refuses a key that belongs to something else.
    static func check(
        _ opening: RunOpening, of operation: String, against asked: RunOpening, of entry: CatalogEntry
    ) throws(BoardError) {
        guard operation == entry.id, comparable(opening.input, entry) == comparable(asked.input, entry) else {
            throw BoardError(
                .keyReused,
                "This idempotency key was used for another operation or another input. Use a new key for each start.")
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
