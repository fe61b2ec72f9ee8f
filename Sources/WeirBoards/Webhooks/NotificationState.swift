package import WeirJournals
package import WeirStates

/// Decides which events the ends of runs and the refused or missed scheduled starts are.
///
/// Pure. It takes the ends in the order of the journal. Equal ends with equal rules give equal events, so a server that
/// continues at an earlier position creates the same messages.
package struct NotificationState: Sendable, Hashable, Codable {
    /// The operations with a failed or interrupted run and no later success.
    private var failing: Set<String> = []
    /// The results of schedules that have been taken, by operation; nil before the first.
    private var taken: [String: TakenStarts]?
    /// What happened since the last digest or report, by the name of its rule; nil without such rules.
    var digests: [String: DigestTally]?

    private struct TakenStarts: Sendable, Hashable, Codable {
        var last: Timestamp?
        var missed: Timestamp?
    }

    package init() {}

    /// A rule with the event of its message.
    package struct Match: Sendable, Hashable {
        package let rule: NotificationRule
        package let event: NotificationEvent
    }

    /// Takes the end of a run, and returns at most one event for each rule.
    ///
    /// The first success to end after a failure or an interruption is a recovery, whichever of them started first and
    /// regardless of the ends in between. An end without a rule changes nothing: for example that of a step to which
    /// only the standard rules could apply.
    package mutating func take(
        _ phase: Phase, of operation: String, run: String, isStep: Bool = false, by plan: HookPlan
    ) -> [Match] {
        let rules = plan.rules(of: operation, isStep: isStep)
        let isCounted = digests != nil && plan.summarizes(operation, isStep: isStep)
        guard !rules.isEmpty || isCounted else { return [] }
        let events = events(of: phase, operation)
        if isCounted { digests = digests?.mapValues { $0.adding(events, of: operation, run: run) } }
        return rules.compactMap { rule in
            events.first(where: rule.events.contains).map { Match(rule: rule, event: $0) }
        }
    }

    /// Whether the last success of an operation is older than its last failure or interruption.
    package func isFailing(_ operation: String) -> Bool { failing.contains(operation) }

    /// The events of an end, the most specific first.
    private mutating func events(of phase: Phase, _ operation: String) -> [NotificationEvent] {
        switch phase {
        case .failed:
            failing.insert(operation)
            return [.failed]
        case .interrupted:
            failing.insert(operation)
            return [.interrupted]
        case .cancelled: return [.cancelled]
        case .succeeded: return failing.remove(operation) == nil ? [.succeeded] : [.recovered, .succeeded]
        case .idle, .active: return []
        }
    }

    /// Takes the progress of the schedules, and returns the starts that were refused or missed since the last time.
    ///
    /// Nothing that happened before the first call is returned.
    package mutating func take(_ standings: [String: ScheduleStanding]) -> [MissedStart] {
        let before = taken
        var after = taken ?? [:]
        var starts: [MissedStart] = []
        for (operation, standing) in standings.sorted(by: { $0.key < $1.key }) {
            let now = TakenStarts(last: standing.last?.at, missed: standing.missed?.at)
            after[operation] = now
            guard let before else { continue }
            if let missed = standing.missed, missed.at != before[operation]?.missed {
                starts.append(MissedStart(operation, missed.newest, at: missed.at, .passed(count: missed.count)))
            }
            if let last = standing.last, last.run == nil, last.at != before[operation]?.last {
                starts.append(MissedStart(operation, last.time, at: last.at, .refused(last.refusal ?? "")))
            }
        }
        taken = after
        if !starts.isEmpty { digests = digests?.mapValues { $0.adding(starts) } }
        return starts
    }
}

extension ScheduleStanding {
    /// The latest start, if it did not happen.
    package func missingStart(of operation: String) -> MissedStart? {
        guard lacksStart else { return nil }
        if let last, last.run == nil, last.at >= missed?.at ?? last.at {
            return MissedStart(operation, last.time, at: last.at, .refused(last.refusal ?? ""))
        }
        return missed.map { MissedStart(operation, $0.newest, at: $0.at, .passed(count: $0.count)) }
    }
}

/// How far messages have been created, for a server that takes over.
package struct ToldPosition: Sendable, Hashable, Codable {
    package let sequence: SequenceNumber
    package let state: NotificationState

    package init(sequence: SequenceNumber, state: NotificationState) {
        self.sequence = sequence
        self.state = state
    }
}

/// A scheduled start that did not happen.
package struct MissedStart: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The times had passed when the server could look.
        case passed(count: Int)
        case refused(String)
    }

    package let operation: String
    /// The time of the schedule, without the random delay; of several, the newest.
    package let planned: Timestamp
    package let at: Timestamp
    package let reason: Reason

    init(_ operation: String, _ planned: Timestamp, at: Timestamp, _ reason: Reason) {
        self.operation = operation
        self.planned = planned
        self.at = at
        self.reason = reason
    }

    package var sentence: String {
        switch reason {
        case .passed(1): "The start planned for \(planned) was missed: its time had passed when the server could look."
        case .passed(let count):
            "\(count) starts were missed, the newest planned for \(planned): their times had passed when the server could look."
        case .refused(let words): "The start planned for \(planned) was refused: \(words)"
        }
    }

    /// The facts of a message by a rule, whose id is the same whenever the start is taken again.
    package func facts(by rule: NotificationRule, title: String, url: String) -> NotificationFacts {
        let kind = if case .refused = reason { "refused" } else { "missed" }
        var facts = NotificationFacts(
            delivery: "\(operation)-\(rule.name).\(kind)-\(planned.milliseconds)", event: .missed,
            operation: operation, title: title, url: url, message: sentence, actor: ScheduledStart.actor,
            endedAt: at.milliseconds)
        facts.plannedAt = planned.milliseconds
        return facts
    }
}
