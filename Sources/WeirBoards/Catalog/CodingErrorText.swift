import WeirStates

/// Says in a sentence what a Swift decoder or encoder did not like.
enum CodingErrorText {
    static func sentence(for error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "“\(key.stringValue)” is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)): \(context.debugDescription)"
        case EncodingError.invalidValue(_, let context): "\(place(context.codingPath)): \(context.debugDescription)"
        default: error.explanation
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "The whole" : path.map(\.stringValue).joined(separator: ".")
    }
}

extension StateRecord {
    /// The record of a state; of one that cannot be recorded, a record that says so.
    static func describing(_ state: some RecordableState) -> StateRecord {
        do {
            return try StateRecord(state)
        } catch {
            let problem = JSONValue.string("This state cannot be recorded: \(CodingErrorText.sentence(for: error))")
            return StateRecord(caseName: "value", payload: ["problem": problem], phase: state.phase)
        }
    }
}
