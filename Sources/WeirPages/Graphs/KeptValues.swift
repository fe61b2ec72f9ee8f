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

    /// The kept value of a key, or nil.
    subscript(key: Key) -> Value? { values.withLock { $0[key] } }

    func keep(_ value: Value, for key: Key) {
        values.withLock { values in
            if values.count >= limit, values[key] == nil { values = [:] }
            values[key] = value
        }
    }

    /// The value of a key, made if none is kept or the kept one is not current.
    func value(of key: Key, isCurrent: (Value) -> Bool = { _ in true }, make: () -> Value) -> Value {
        if let known = self[key], isCurrent(known) { return known }
        let value = make()
        keep(value, for: key)
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
            let earlier = readings[Key(run: record.id, revision: record.revision &- 1)]
            let steps = try? StepsProgress(payload, after: earlier?.steps, earlier?.payload)
            return Reading(payload: payload, steps: steps)
        }.steps
    }
}

/// The markup of the steps that pages showed last, so that only steps that look different are rendered again.
///
/// Every renderer has its own, because the markup depends on the catalog, the templates and the permissions.
final class StepMarkup: Sendable {
    struct Key: Hashable {
        let template: String
        let operation: String
        /// The id of the element that contains the steps.
        let uid: String
        let locale: PageLocale
    }

    private struct Rendered<Shown: Equatable & Sendable>: Sendable {
        let shown: [Shown]
        let html: [String]
    }

    private let lists = KeptValues<Key, any Sendable>(limit: 32)

    /// The markup of a list, one element after the other.
    ///
    /// - Parameters:
    ///   - key: The list.
    ///   - shown: All that the markup of each element depends on.
    ///   - render: Renders the element at an index.
    /// - Returns: The markup.
    func html<Shown: Equatable & Sendable>(
        _ key: Key, showing shown: [Shown], render: (Int, Shown) -> String
    ) -> TrustedHTML {
        let known = lists[key] as? Rendered<Shown>
        let html = shown.enumerated().map { index, element in
            if let known, index < known.shown.count, known.shown[index] == element { return known.html[index] }
            return render(index, element)
        }
        lists.keep(Rendered(shown: shown, html: html), for: key)
        return TrustedHTML(html.joined())
    }
}
