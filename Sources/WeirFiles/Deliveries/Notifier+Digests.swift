import Foundation
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// E-mails that sum up a day or a week.
///
/// The time of the last one is a part of the state that the position in the journal has, also for other servers. The message and
/// the state are stored in one transaction, and the message's id has the time at which it was due. So a restart or a takeover
/// repeats none and loses none, and times that passed while no server ran give one message.
extension Notifier {
    /// Creates the digests and reports that are due; the state must be of the end of the journal.
    func summaries(_ state: inout NotificationState) async throws -> [DeliveryRecord] {
        let (rules, now) = (plan.withLock { $0 }.periodic, now())
        state.count(for: rules, since: now)
        // Before the server listens, there are no links.
        guard address() != nil else { return [] }
        var deliveries: [DeliveryRecord] = []
        for rule in rules {
            guard let period = rule.period, let tally = state.tally(of: rule),
                let due = period.due(after: tally.since, now: now, in: board.zone)
            else { continue }
            var facts = NotificationFacts(
                delivery: "\(rule.name).\(due.milliseconds)", event: .digest, operation: ServerCondition.operation,
                title: serverTitle, url: address() ?? "", actor: "Weir", endedAt: now.milliseconds)
            switch period.kind {
            case .digest: facts.summary = try await digest(tally, state, period, at: now)
            case .report:
                let (from, to) = ReportPeriod.week(before: due, in: board.zone)
                facts.event = .report
                facts.summary = try await report(from, to)
                facts.url = address().map { "\($0)report?from=\(from)&to=\(to.before(1))" } ?? ""
            }
            facts.delivery = "\(facts.event?.rawValue ?? "")-\(facts.delivery)"
            state.begin(rule, at: now)
            if facts.summary != nil {
                deliveries.append(DeliveryRecord(facts: facts, rule: rule, nextAt: now.milliseconds))
            }
        }
        return deliveries
    }

    /// The time until the first digest or report that is due after `moment`, or nil without rules for them.
    ///
    /// Retries after a second if the server did not listen at `moment`, because it sends none before.
    func untilNextSummary(after moment: Timestamp, isListening: Bool) -> Duration? {
        let times = plan.withLock { $0 }.periodic.compactMap { $0.period?.next(after: moment, in: board.zone) }
        if !times.isEmpty, !isListening { return .seconds(1) }
        // Looks again after an hour, because the clock can be set.
        let now = now()
        return times.min().map { .milliseconds(min(max(1, $0 - now), 3_600_000)) }
    }

    var serverTitle: String {
        "Weir" + (address().flatMap { $0.split(separator: "/").dropFirst().first }.map { " at \($0)" } ?? "")
    }

    // MARK: Digests

    private func digest(
        _ tally: DigestTally, _ state: NotificationState, _ period: NotificationPeriod, at now: Timestamp
    ) async throws -> NotificationSummary? {
        let (decisions, conditions) = (try await pendingDecisions(), try await conditionRows(since: tally.since))
        let (good, bad) = try await operationRows(tally, state)
        let missed = tally.missed.map { missed in
            NotificationSummary.Row([title(of: missed.operation), missed.sentence], url: link(missed.operation))
        }
        let counts = [
            (tally.total.unsuccessful, "failed run"), (tally.total.recovered, "recovery"),
            (tally.missedCount, "missed start"), (decisions.count, "pending decision"),
            (conditions.count, "server condition"),
        ].filter { $0.0 > 0 }.map { $0.0 == 1 ? "1 \($0.1)" : "\($0.0) \(Self.plural($0.1))" }
        guard period.sendsEmpty || !counts.isEmpty else { return nil }
        let isBad = tally.total.unsuccessful > 0 || tally.missedCount > 0
        return NotificationSummary(
            headline: "\(serverTitle): \(counts.isEmpty ? "nothing to report" : counts.joined(separator: ", "))",
            period:
                "\(words(tally.since)) – \(words(now)) (\(board.zone.name)). \(Self.runs(tally.ended)) ended.",
            sections: [
                .init(tally.isFull ? "Failures, of the first operations that had one" : "Failures", rows: bad),
                .init("Works again", rows: good),
                .init("Starts that did not happen", rows: missed, more: tally.missedCount - missed.count),
                .init("Waiting for a decision", rows: decisions),
                .init("Conditions of the server", rows: conditions),
            ], linkTitle: "Open Weir", isBad: isBad)
    }

    private func operationRows(
        _ tally: DigestTally, _ state: NotificationState
    ) async throws -> (good: [NotificationSummary.Row], bad: [NotificationSummary.Row]) {
        var (good, bad): ([NotificationSummary.Row], [NotificationSummary.Row]) = ([], [])
        let sorted = tally.operations.sorted {
            ($1.value.unsuccessful, $0.key) < ($0.value.unsuccessful, $1.key)
        }
        for (operation, counts) in sorted {
            let name = title(of: operation)
            let run = try await record(of: counts.run)
            let url = run == nil ? link(operation) : address().map { "\($0)runs/\(counts.run)" }
            guard counts.unsuccessful > 0 else {
                good.append(.init([name], url: url))
                continue
            }
            let words = [
                counts.failed > 0 ? "\(counts.failed) failed" : nil,
                counts.interrupted > 0 ? "\(counts.interrupted) interrupted" : nil,
                state.isFailing(operation) ? nil : "works again",
            ].compactMap { $0 }
            bad.append(.init([name, words.joined(separator: ", "), run?.state.sentence ?? ""], url: url))
        }
        return (good, bad)
    }

    private func pendingDecisions() async throws -> [NotificationSummary.Row] {
        try await board.unfinishedRuns().filter { $0.origin == nil }.flatMap { run -> [NotificationSummary.Row] in
            guard board.catalog[run.operation]?.isResumable == true,
                let progress = try? run.state.state(as: StepsState.self).steps
            else { return [] }
            return progress.steps.filter { $0.status == .asking }.map { step in
                let since = "since \(words(step.began ?? run.startedAt))"
                return .init(
                    [title(of: run.operation), step.prompt ?? step.title ?? step.name, since],
                    url: address().map { "\($0)runs/\(run.id)" })
            }
        }
    }

    /// The conditions that hold, and those that ended since a moment.
    ///
    /// Missed starts are listed by themselves.
    private func conditionRows(since moment: Timestamp) async throws -> [NotificationSummary.Row] {
        // Those of the file, because after a start nothing has been observed yet.
        let (holding, ended) = (try await store.conditions(), try await store.endedConditions(since: moment))
        return (holding + ended).filter { $0.kind != .schedule || $0.since < moment && !$0.isOver }.map {
            condition in
            .init(
                [
                    "Weir \(condition.words)", "since \(words(condition.since))",
                    condition.isOver ? "" : condition.sentence,
                ],
                url: address().map { "\($0)system" })
        }
    }

    // MARK: Reports

    private func report(_ from: Timestamp, _ to: Timestamp) async throws -> NotificationSummary {
        let read = try await VisibleBoard(whole: board).reportedPeriod(from: from, to: to)
        let report = try await WorkPool.files.run { [zone = board.zone] in
            PeriodReport(from: from, to: to, runs: read.runs, isCut: read.isCut, missed: read.missed, zone: zone)
        }
        let rows = report.rows.map { row in
            NotificationSummary.Row(
                [
                    title(of: row.operation), "\(row.figures.ended)", "\(row.before.ended)", "\(row.figures.failed)",
                    "\(row.before.failed)", row.figures.p50.map(NotificationFacts.words(ofDuration:)) ?? "–",
                    row.before.p50.map(NotificationFacts.words(ofDuration:)) ?? "–", row.isSlower ? "slower" : "",
                ], url: link(row.operation))
        }
        let errors = report.errors.map { group in
            NotificationSummary.Row(
                [group.sentence ?? group.caseName, "\(group.count)", title(of: group.newest.operation)],
                url: address().map { "\($0)runs/\(group.newest.id)" })
        }
        let missed = report.missed.map { missed in
            NotificationSummary.Row(
                [title(of: missed.operation), words(missed.time), missed.refusal ?? "\(missed.count) missed"],
                url: link(missed.operation))
        }
        let figures = report.figures
        return NotificationSummary(
            headline:
                "\(serverTitle), week to \(day(to.before(1))): \(Self.runs(figures.ended)), \(figures.failed) failed",
            period: "\(words(from)) – \(words(to)) (\(board.zone.name)). The week before: "
                + "\(Self.runs(report.before.ended)), \(report.before.failed) failed."
                + (read.isCut ? " Only the newest \(PeriodReport.runLimit) runs were read." : ""),
            sections: [
                .init(
                    "By operation",
                    columns: ["Operation", "Ended", "Before", "Failed", "Before", "Median", "Before", ""], rows: rows),
                .init("Failures by message", columns: ["Message", "Failed", "Newest in"], rows: errors),
                .init("Starts that did not happen", rows: missed),
            ], linkTitle: "Open the report", isBad: figures.failed > 0)
    }

    // MARK: Words

    private func link(_ operation: String) -> String? { address().map { "\($0)operations/\(operation)" } }

    private func words(_ moment: Timestamp) -> String { written(moment, "EEE d MMM yyyy HH:mm") }

    private func day(_ moment: Timestamp) -> String { written(moment, "EEE d MMM yyyy") }

    private func written(_ moment: Timestamp, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = board.zone
        formatter.dateFormat = format
        return formatter.string(from: moment.date)
    }

    private static func runs(_ count: Int) -> String { count == 1 ? "1 run" : "\(count) runs" }

    private static func plural(_ words: String) -> String {
        words.hasSuffix("y") ? "\(words.dropLast())ies" : words + "s"
    }
}
