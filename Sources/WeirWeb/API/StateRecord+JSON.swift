import WeirStates

extension StateRecord {
    /// How far the work has come, as the API tells it: null where that is not known.
    var progressJSON: JSONValue {
        guard let progress else { return .null }
        return [
            "completed": .integer(progress.completed), "total": progress.total.map(JSONValue.integer) ?? .null,
            "unit": .string(progress.unit.rawValue), "fraction": progress.fraction.map(JSONValue.number) ?? .null,
        ]
    }
}
