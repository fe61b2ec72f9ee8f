package import WeirBoards

/// The triggers and notification rules of an operation's page, or the messages about a run.
package struct PageHooks: Sendable, Hashable {
    package struct Trigger: Sendable, Hashable {
        let rule: TriggerRule
        let hasSecret: Bool

        package init(rule: TriggerRule, hasSecret: Bool) {
            self.rule = rule
            self.hasSecret = hasSecret
        }
    }

    let operation: String
    let triggers: [Trigger]
    let requests: [TriggerRecord]
    let rules: [NotificationRule]
    let deliveries: [DeliveryRecord]
    let isOfRun: Bool
    /// The server whose messages and requests these are, or nil if there is only one.
    package var server: String?

    package init(
        operation: String, triggers: [Trigger] = [], requests: [TriggerRecord] = [], rules: [NotificationRule] = [],
        deliveries: [DeliveryRecord] = [], isOfRun: Bool = false
    ) {
        self.operation = operation
        self.triggers = triggers
        self.requests = requests
        self.rules = rules
        self.deliveries = deliveries
        self.isOfRun = isOfRun
    }
}

extension PageHooks {
    /// A sample with every outcome, for the template check and for snapshots.
    static func sample(of operation: String, isOfRun: Bool = false) -> PageHooks {
        let rule = TriggerRule(operation: operation, name: "push", form: .github, secret: "github")
        let requests = TriggerRecord.Outcome.allCases.map { outcome in
            TriggerRecord(
                trigger: rule.id, at: 1_700_000_000_000, outcome,
                run: outcome == .started ? "01hf0000000000000000000000" : nil,
                detail: outcome == .ignored
                    ? "body.ref is “refs/heads/next”, and only “refs/heads/main” starts a run." : nil,
                count: outcome == .unproven ? 3 : 1)
        }
        let notification = NotificationRule(name: "1", events: [.failed, .recovered], channel: .command([]))
        let deliveries = DeliveryRecord.Status.allCases.map { status in
            let facts = NotificationFacts(
                delivery: "\(status)", event: status == .failed ? nil : .failed, operation: operation, title: operation,
                run: status == .failed ? nil : "01hf0000000000000000000000", actor: "Ana", endedAt: 1_700_000_000_000)
            var record = DeliveryRecord(facts: facts, rule: notification, nextAt: 1_700_000_030_000)
            record.place = "Slack: secrets.slack"
            record.status = status
            record.attempts = status == .delivered ? 1 : 2
            record.detail = "The receiver answered \(status == .delivered ? "200" : "503")."
            return record
        }
        return PageHooks(
            operation: operation, triggers: isOfRun ? [] : [true, false].map { Trigger(rule: rule, hasSecret: $0) },
            requests: isOfRun ? [] : requests, rules: [notification], deliveries: deliveries, isOfRun: isOfRun)
    }

    /// A sample with triggers and rules, but without requests and deliveries.
    static func bare(of operation: String) -> PageHooks {
        let sample = sample(of: operation)
        return PageHooks(operation: operation, triggers: sample.triggers, rules: sample.rules)
    }
}
