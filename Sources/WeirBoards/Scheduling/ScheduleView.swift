package import WeirJournals

/// An operation's schedule as pages and programs see it.
package struct ScheduleView: Sendable, Hashable {
    /// The operation's id.
    package let operation: String
    /// What is started when.
    package let start: ScheduledStart
    /// How far it has come.
    package let standing: ScheduleStanding
    /// Its next times, without their delays; none while it is paused.
    package let upcoming: [Timestamp]
    /// The run of its newest time, if it is kept and may be seen.
    package internal(set) var lastRun: RunRecord?

    /// How many next times there are.
    package static let upcomingCount = 5

    /// Makes a view as of a moment.
    package init(
        operation: String, start: ScheduledStart, standing: ScheduleStanding, lastRun: RunRecord? = nil,
        at now: Timestamp
    ) {
        self.lastRun = lastRun
        self.operation = operation
        self.start = start
        self.standing = standing
        upcoming = standing.pause == nil ? start.schedule.upcoming(after: now, count: Self.upcomingCount) : []
    }
}
