import WeirJournals
import WeirStates

extension RecordedAction {
    /// A typed action as it is recorded; of one that cannot be, a record that says so.
    static func describing(_ action: some StoreAction) -> RecordedAction {
        do {
            let encoded = try JSONValue(encoding: action)
            if let name = encoded.string { return RecordedAction(name: name) }
            guard let members = encoded.object, members.count == 1, let (name, payload) = members.first else {
                return RecordedAction(name: "value", payload: encoded)
            }
            return RecordedAction(name: name, payload: payload)
        } catch {
            let problem = JSONValue.string(
                "This action cannot be recorded: \(CodingErrorText.sentence(for: error))")
            return RecordedAction(name: "value", payload: ["problem": problem])
        }
    }

    /// The typed action again.
    ///
    /// Throws `DecodingError` when the type has no such case or payload.
    func action<Action: StoreAction>(as type: Action.Type) throws -> Action {
        do {
            return try JSONValue.object([name: payload]).decode(type)
        } catch {
            // An enum of strings is written as its name alone.
            guard payload == [:] else { throw error }
            do { return try JSONValue.string(name).decode(type) } catch _ { throw error }
        }
    }
}
