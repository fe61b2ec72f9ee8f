package import WeirStates

/// The message of a reported run that a printed state line stands for.
///
/// Pure.
package enum StateMessage {
    private static let units = ["bytes", "items", "percent"]
    /// The largest count that a server takes.
    private static let largestCount: Int64 = 9_007_199_254_740_991

    /// Reads a line without its end; nil for output.
    package static func message(_ text: String) -> JSONValue? {
        guard let line = StateLine(text), let state = line.state, StateName.isValid(state) else { return nil }
        var members: [String: JSONValue] = ["state": .string(state)]
        for member in line.members {
            guard let value = value(of: member) else { return nil }
            members[member.name] = value
        }
        return members["total"] == nil || members["completed"] != nil ? .object(members) : nil
    }

    private static func value(of member: StateLine.Member) -> JSONValue? {
        switch member.name {
        case "completed", "total":
            guard let count = Int64(member.value), (0...largestCount).contains(count) else { return nil }
            return .integer(count)
        case "unit": return units.contains(member.value) ? .string(member.value) : nil
        case "state", "phase": return nil
        default: return .string(member.value)
        }
    }
}
