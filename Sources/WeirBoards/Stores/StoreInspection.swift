import WeirOperations
import WeirStates
import WeirStores

/// Looks at a store's declarations: its states as they are written down, and all that contradicts itself in them.
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

    /// What a state offers; nil when its type leaves that to the forms, nothing when it no longer decodes.
    @Sendable static func offers(in record: StateRecord) -> [ActionOffer]? {
        guard let type = R.State.self as? any OfferingState.Type else { return nil }
        return offers(in: record, as: type)
    }

    private static func offers<State: OfferingState>(in record: StateRecord, as type: State.Type) -> [ActionOffer] {
        do {
            return try record.state(as: type).offers
        } catch {
            return []  // A state of an older version: it can be looked at, and nothing be done in it.
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
    /// A value that has the field's type.
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
