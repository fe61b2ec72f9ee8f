import Synchronization
import WeirBoards
import WeirJournals
import WeirStates

/// The decoded steps of the states shown last, because a page and its patches use those of one state several times.
final class StepReadings: Sendable {
    private struct Key: Hashable {
        let run: String
        let revision: Int64
    }

    /// The maximum number of states; at the limit all are discarded.
    private static let limit = 32

    private let readings = Mutex<[Key: (payload: JSONValue, steps: StepsProgress?)]>([:])

    /// The steps in the state of a run; nil for a state of other work.
    func steps(of record: RunRecord) -> StepsProgress? {
        let payload = record.state.payload
        let key = Key(run: record.id, revision: record.revision)
        if let known = readings.withLock({ $0[key] }), known.payload == payload { return known.steps }
        let steps = try? payload.decode(StepsProgress.self)
        readings.withLock { readings in
            if readings.count >= Self.limit { readings = [:] }
            readings[key] = (payload, steps)
        }
        return steps
    }
}
