import WeirJournals
import WeirStates

extension RetentionPolicy {
    /// Whether it keeps less than another policy in any respect.
    func isLower(than other: RetentionPolicy) -> Bool {
        if standard.isLower(than: other.standard) { return true }
        return Set(operations.keys).union(other.operations.keys).contains {
            limits(of: $0).isLower(than: other.limits(of: $0))
        }
    }

    /// The limits for runs as JSON, for the note that keeps a plan.
    var json: JSONValue {
        var members = standard.json
        if !operations.isEmpty { members["operations"] = .object(operations.mapValues { .object($0.json) }) }
        return .object(members)
    }

    /// Reads what ``json`` writes; nil for anything else.
    init?(json: JSONValue) {
        guard let standard = Limits(json: json) else { return nil }
        var operations: [String: Limits] = [:]
        for (id, limits) in json["operations"]?.object ?? [:] {
            guard let limits = Limits(json: limits) else { return nil }
            operations[id] = limits
        }
        self.init(
            maximumAge: standard.maximumAge, maximumRunsPerOperation: standard.maximumRuns, operations: operations)
    }
}

extension RetentionPolicy.Limits {
    fileprivate func isLower(than other: RetentionPolicy.Limits) -> Bool {
        (maximumAge ?? .max) < (other.maximumAge ?? .max) || (maximumRuns ?? .max) < (other.maximumRuns ?? .max)
    }

    fileprivate var json: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["age"] = maximumAge.map(JSONValue.integer)
        members["runs"] = maximumRuns.map { .integer(Int64($0)) }
        return members
    }

    fileprivate init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        self.init(
            maximumAge: json["age"]?.integer, maximumRuns: json["runs"]?.integer.map { Int(clamping: $0) })
    }
}
