import States

extension StateRecord {
    /// The record of a state; of one that cannot be written down, a record that says so.
    static func describing(_ state: some RecordableState) -> StateRecord {
        do {
            return try StateRecord(state)
        } catch {
            let problem = JSONValue.string("This state cannot be written down: \(CodingWords.sentence(for: error))")
            return StateRecord(caseName: "value", payload: ["problem": problem], phase: state.phase)
        }
    }
}
