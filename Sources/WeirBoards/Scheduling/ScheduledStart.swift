import WeirJournals
package import WeirStates

/// What a schedule starts of an operation, and when.
package struct ScheduledStart: Sendable, Hashable {
    /// When.
    package let schedule: Schedule
    /// The input of each run.
    package let input: JSONValue

    /// Makes a start.
    package init(_ schedule: Schedule, input: JSONValue = [:]) {
        self.schedule = schedule
        self.input = input
    }

    /// Who starts it.
    package static let actor = "schedule"

    /// The key under which an operation is started at a time, so that it happens once.
    static func key(of operation: String, at time: Timestamp) -> String { "schedule/\(operation)/\(time)" }
}
