package import WeirJournals

/// How far an operation's schedule has come: what the journal keeps of it over restarts.
package struct ScheduleStanding: Sendable, Hashable, Codable {
    /// Who paused it, and when.
    package struct Pause: Sendable, Hashable, Codable {
        /// Who.
        package let by: String
        /// When.
        package let at: Timestamp

        /// Creates a pause.
        package init(by: String, at: Timestamp) {
            self.by = by
            self.at = at
        }
    }

    /// What came of one of its times.
    package struct Firing: Sendable, Hashable, Codable {
        /// The time, without its delay.
        package let time: Timestamp
        /// When the start was made.
        package let at: Timestamp
        /// The run that was started; nil if the start was refused.
        package let run: String?
        /// Why the start was refused.
        package let refusal: String?

        /// Creates what came of a time.
        package init(time: Timestamp, at: Timestamp, run: String?, refusal: String?) {
            self.time = time
            self.at = at
            self.run = run
            self.refusal = refusal
        }
    }

    /// Times that passed without a start.
    package struct Missed: Sendable, Hashable, Codable {
        /// How many.
        package let count: Int
        /// The newest of them.
        package let newest: Timestamp
        /// When that was noticed.
        package let at: Timestamp

        /// Creates what was missed.
        package init(count: Int, newest: Timestamp, at: Timestamp) {
            self.count = count
            self.newest = newest
            self.at = at
        }
    }

    /// The schedule that this is about.
    var schedule: String
    /// Up to when its times have been dealt with.
    var considered: Timestamp
    /// The pause; nil while it goes on.
    package internal(set) var pause: Pause?
    /// What came of its newest time that was due.
    package internal(set) var last: Firing?
    /// The newest times that passed without a start.
    package internal(set) var missed: Missed?

    /// A schedule that has just begun: the past is none of its business.
    package init(
        _ schedule: String, from now: Timestamp, pause: Pause? = nil, last: Firing? = nil, missed: Missed? = nil
    ) {
        self.schedule = schedule
        considered = now
        self.pause = pause
        self.last = last
        self.missed = missed
    }
}
