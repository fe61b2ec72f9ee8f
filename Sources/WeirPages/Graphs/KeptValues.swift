import Synchronization
import WeirBoards
import WeirJournals
import WeirStates

/// The values used last, because a page and its patches need the same ones several times.
final class KeptValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The maximum number of values; at the limit all are discarded.
    private let limit: Int
    private let values = Mutex<[Key: Value]>([:])

    init(limit: Int) { self.limit = limit }

    /// The value of a key, made if none is kept or the kept one is not current.
    func value(of key: Key, isCurrent: (Value) -> Bool = { _ in true }, make: () -> Value) -> Value {
        if let known = values.withLock({ $0[key] }), isCurrent(known) { return known }
        let value = make()
        values.withLock { values in
            if values.count >= limit { values = [:] }
            values[key] = value
        }
        return value
    }
}

/// The layouts of graphs, and the decoded steps of states.
final class StepCache: Sendable {
    private struct Key: Hashable {
        let run: String
        let revision: Int64
    }

    private struct Reading {
        let payload: JSONValue
        let steps: StepsProgress?
    }

    private let layouts = KeptValues<GraphShape, GraphLayout>(limit: 64)
    private let readings = KeptValues<Key, Reading>(limit: 32)

    func layout(_ shape: GraphShape) -> GraphLayout { layouts.value(of: shape) { GraphLayout(shape) } }

    /// The steps in the state of a run; nil for a state of other work.
    func steps(of record: RunRecord) -> StepsProgress? {
        let payload = record.state.payload
        return readings.value(of: Key(run: record.id, revision: record.revision)) {
            $0.payload == payload
        } make: {
            Reading(payload: payload, steps: try? payload.decode(StepsProgress.self))
        }.steps
    }
}
