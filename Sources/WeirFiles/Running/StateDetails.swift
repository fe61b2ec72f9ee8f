import WeirStates

/// What a program says about the state that it is in.
package struct StateDetails: Sendable, Hashable {
    /// What the page says.
    var show: String?
    /// Values by name: texts, numbers, and true or false.
    var values: [String: JSONValue] = [:]
    /// How far the work has come.
    var progress: WorkProgress?
    /// The state of a pattern that took too long and was given up for the run.
    var slow: String?
}

extension StateDetails: Codable {
    private enum CodingKeys: String, CodingKey { case show, values, completed, total, unit, slow }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        show = try members.decodeIfPresent(String.self, forKey: .show)
        values = try members.decodeIfPresent([String: JSONValue].self, forKey: .values) ?? [:]
        slow = try members.decodeIfPresent(String.self, forKey: .slow)
        progress = members.contains(.completed) ? try WorkProgress(from: decoder) : nil
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(show, forKey: .show)
        if !values.isEmpty { try members.encode(values, forKey: .values) }
        try members.encodeIfPresent(progress?.completed, forKey: .completed)
        try members.encodeIfPresent(progress?.total, forKey: .total)
        try members.encodeIfPresent(progress?.unit, forKey: .unit)
        try members.encodeIfPresent(slow, forKey: .slow)
    }
}
