import WeirFlows
import WeirJournals
import WeirOperations
package import WeirStates
import WeirStores

/// A type-erased store of the catalog, for the board and the pages.
package final class StoreEntry: Sendable {
    package let id: String
    /// The name of its templates and strings: its id, or a name that several stores share.
    package let kind: String
    package let title: String
    package let summary: String
    /// The tags by which roles can be granted.
    package let tags: Set<String>
    /// The forms of external actions, in the order in which pages show them.
    package let forms: [ActionForm]
    /// The state of a new store, and after a reset.
    package let initial: StateRecord
    /// At least one state for every case.
    ///
    /// States that cannot be encoded are omitted and reported in `problems`.
    package let samples: [StateRecord]
    /// Errors in the store's declarations, in sentences; empty if it is valid.
    package let problems: [String]
    let factory: any StoreFactory
    private let offer: @Sendable (StateRecord) -> [ActionOffer]?

    init<R: Reducer>(
        _ reducer: R, id: String, kind: String? = nil, title: String, summary: String, tags: Set<String> = []
    ) where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
        let inspection = StoreInspection<R>(reducer, id: id)
        self.id = id
        self.kind = kind ?? id
        self.title = title
        self.summary = summary
        self.tags = tags
        forms = R.Action.forms
        initial = inspection.initial
        samples = inspection.samples
        problems = inspection.problems + Catalog.problems(with: tags, of: id)
        factory = ReducerFactory(reducer: reducer)
        offer = StoreInspection<R>.offers
    }

    package func form(_ name: String) -> ActionForm? { forms.first { $0.name == name } }

    /// Validates an external action, a JSON object with the action's name as `type`; returns it with defaults filled
    /// in.
    ///
    /// Throws `unknownAction`, `invalidInput` with the mistakes of each field, and `overloaded` if too many inputs are
    /// waiting to be checked.
    func validate(_ action: JSONValue) async throws(BoardError) -> RecordedAction {
        guard let asked = RecordedAction(json: action) else {
            throw BoardError(.invalidInput, .unnamedAction)
        }
        guard let form = form(asked.name) else { throw .unknownAction(asked.name, of: self) }
        do {
            return RecordedAction(
                name: form.name,
                payload: try await InputField.validate(asked.payload, fields: form.fields, in: .inputs))
        } catch {
            throw .refusal(by: error)
        }
    }

    /// The offers of a state: its own, or else every form.
    ///
    /// Empty if the state no longer decodes.
    func offers(in state: StateRecord) -> [ActionOffer] {
        offer(state) ?? forms.map { ActionOffer($0.name) }
    }
}

/// Checks a store's declarations: encodes its states and finds contradictions.
struct StoreInspection<R: Reducer> where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
    let initial: StateRecord
    let samples: [StateRecord]
    let problems: [String]

    init(_ reducer: R, id: String) {
        var problems: [String] = []
        func record(_ state: R.State) -> StateRecord? {
            do {
                let record = try StateRecord(state)
                if try record.state(as: R.State.self) != state {
                    problems.append("The state \(record.caseName) changes when it is encoded and decoded.")
                }
                return record
            } catch {
                problems.append("The state \(state) cannot be encoded and decoded: \(error)")
                return nil
            }
        }
        initial = record(reducer.initialState) ?? StateRecord(caseName: "value", phase: .idle)
        samples = R.State.samples.compactMap(record)
        if samples.isEmpty { problems.append("There are no samples of its states.") }
        problems += Self.problems(in: R.Action.forms)
        for state in R.State.samples { problems += Self.problems(inOffersOf: state) }
        var known: Set<String> = []
        self.problems = problems.filter { known.insert($0).inserted }.map { "\(id): \($0)" }
    }

    /// The offers of a state; nil if its type declares none, empty if the state no longer decodes.
    @Sendable static func offers(in record: StateRecord) -> [ActionOffer]? {
        guard let type = R.State.self as? any OfferingState.Type else { return nil }
        return offers(in: record, as: type)
    }

    private static func offers<State: OfferingState>(in record: StateRecord, as type: State.Type) -> [ActionOffer] {
        do {
            return try record.state(as: type).offers
        } catch {
            return []  // A state of an older version, which is shown without actions.
        }
    }

    // MARK: Forms

    private static func problems(in forms: [ActionForm]) -> [String] {
        var names: Set<String> = []
        return forms.flatMap { form -> [String] in
            var problems = InputField.problems(in: form.fields).map { "The form \(form.name): \($0)" }
            if !names.insert(form.name).inserted { problems.append("The form \(form.name) is declared twice.") }
            for field in form.fields {
                if field.kind == .file { problems.append("The form \(form.name): a file cannot be part of an action.") }
                if field.isSecret {
                    problems.append("The form \(form.name): a secret cannot be part of an action, which is recorded.")
                }
                if field.name == "type" {
                    problems.append("The form \(form.name): no field can be called type, which names the action.")
                }
            }
            guard problems.isEmpty else { return problems }
            do {
                let payload = JSONValue.object(Dictionary(form.fields.map { ($0.name, $0.example) }) { $1 })
                _ = try JSONValue.object([form.name: payload]).decode(R.Action.self)
                return []
            } catch {
                return ["The form \(form.name) does not produce an action: \(error)"]
            }
        }
    }

    private static func problems(inOffersOf state: R.State) -> [String] {
        guard let state = state as? any OfferingState else { return [] }
        return state.offers.flatMap { offer -> [String] in
            guard let form = R.Action.forms.first(where: { $0.name == offer.form }) else {
                return ["A state offers \(offer.form), which has no form."]
            }
            let fields = Set(form.fields.map(\.name))
            return (offer.values.object ?? [:]).keys.filter { !fields.contains($0) }.sorted().map { name in
                "A state offers \(offer.form) with a value for \(name), which is not one of its fields."
            }
        }
    }
}

extension InputField {
    fileprivate var example: JSONValue {
        if let defaultValue { return defaultValue }
        switch kind {
        case .text, .multiline, .secret: return "a"
        case .url: return "https://example.org/"
        case .integer(let range): return .integer(max(range.lowerBound, min(range.upperBound, 1)))
        case .number(let range): return .number(max(range.lowerBound, min(range.upperBound, 1)))
        case .boolean: return true
        case .choice(let values): return .string(values.first ?? "")
        case .file: return .null
        }
    }
}

/// Creates the stores of one kind, without their types.
protocol StoreFactory: Sendable {
    /// Throws if a recorded state no longer decodes.
    func check(_ state: StateRecord) throws
    /// Creates the store in the state of its last recorded change.
    func store(
        _ view: StoreView, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        accepts: @escaping @Sendable () -> Bool
    ) -> any LiveStore
}

struct ReducerFactory<R: Reducer>: StoreFactory
where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
    let reducer: R

    func check(_ state: StateRecord) throws { _ = try state.state(as: R.State.self) }

    func store(
        _ view: StoreView, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        accepts: @escaping @Sendable () -> Bool
    ) -> any LiveStore {
        RecordedStore(reducer, view, recorder: recorder, now: now, accepts: accepts)
    }
}
