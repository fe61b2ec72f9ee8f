import WeirJournals
import WeirStates

extension NotificationFormat {
    /// Whether a message opens or resolves an incident at the receiver, so that only the latest about a problem counts.
    package var opensIncidents: Bool { [.pagerduty, .alertmanager].contains(self) }
}

// https://developer.pagerduty.com/docs/send-alert-event: an event triggers an incident or resolves it; both have the same
// `dedup_key`, of at most 255 characters. The summary has at most 1,024 characters.
extension NotificationFormat {
    static func pagerduty(_ facts: NotificationFacts, key: String) -> JSONValue {
        var details: [String: JSONValue] = ["note": .string(facts.note)]
        if let message = facts.message { details["message"] = .string(message.cut(to: 3_000, .utf16)) }
        if let output = facts.shownOutput { details["output"] = .string(output) }
        if let run = facts.run { details["run"] = .string(run) }
        let severity =
            switch facts.tone {
            case .good, .neutral: "info"
            case .bad: "error"
            case .warning: "warning"
            }
        let summary = [facts.headline, facts.message].compactMap { $0 }.joined(separator: ": ")
        var event: [String: JSONValue] = [
            "routing_key": .string(key), "event_action": facts.resolves ? "resolve" : "trigger",
            "dedup_key": .string("\(facts.source)/\(facts.problem)".cut(to: 255, .utf16)), "client": "Weir",
            "payload": [
                "summary": .string(summary.cut(to: 1_024, .utf16)),
                "source": .string(facts.source.cut(to: 255, .utf16)),
                "severity": .string(severity), "timestamp": .string(facts.end.description),
                "component": .string(facts.operation), "class": .string(facts.event?.rawValue ?? "test"),
                "custom_details": .object(details),
            ],
        ]
        if !facts.url.isEmpty {
            event["client_url"] = .string(facts.url)
            event["links"] = [["href": .string(facts.url), "text": .string(facts.linkTitle)]]
        }
        return .object(event)
    }
}

// https://prometheus.io/docs/alerting/latest/alerts_api/: a list of alerts. Alerts with equal labels are one; `endsAt` in the
// past resolves it.
extension NotificationFormat {
    /// How long an alert without a resolution is active, in milliseconds.
    private static let activeFor: Int64 = 86_400_000

    static func alertmanager(_ facts: NotificationFacts) -> JSONValue {
        let severity =
            switch facts.tone {
            case .bad: "critical"
            case .warning: "warning"
            case .good, .neutral: "info"
            }
        var annotations: [String: JSONValue] = [
            "summary": .string(facts.headline.cut(to: 1_000, .utf16)),
            "note": .string(facts.note.cut(to: 1_000, .utf16)),
        ]
        if let message = facts.message { annotations["description"] = .string(message.cut(to: 3_000, .utf16)) }
        if let output = facts.shownOutput { annotations["output"] = .string(output) }
        let end = facts.resolves ? facts.end : facts.end.after(activeFor)
        var alert: [String: JSONValue] = [
            "labels": [
                "alertname": .string(facts.alertName), "instance": .string(facts.source),
                "operation": .string(facts.operation), "problem": .string(facts.problem),
                // Equal for the alert and its resolution, which Alertmanager recognises by its labels.
                "severity": .string(facts.resolves ? facts.resolvedSeverity : severity),
            ],
            "annotations": .object(annotations), "endsAt": .string(end.description),
        ]
        if !facts.resolves { alert["startsAt"] = .string(facts.end.description) }
        if !facts.url.isEmpty { alert["generatorURL"] = .string(facts.url) }
        return [.object(alert)]
    }
}

extension NotificationFacts {
    /// Whether the event ends a problem that an earlier message reported.
    fileprivate var resolves: Bool { event != nil && tone == .good }

    /// A name of the problem that is the same in the message about its end.
    package var problem: String {
        if let condition {
            return condition.subject.isEmpty
                ? condition.kind.rawValue : "\(condition.kind.rawValue) \(condition.subject)"
        }
        switch event {
        case .slow: return "\(operation) slow"
        case .missed: return "\(operation) missed"
        case nil: return "test \(delivery)"
        default: return operation
        }
    }

    fileprivate var alertName: String {
        switch event {
        case .server: "WeirServer"
        case .slow: "WeirRunSlow"
        case .missed: "WeirStartMissed"
        case nil: "WeirTest"
        default: "WeirRunFailed"
        }
    }

    fileprivate var resolvedSeverity: String { condition == nil ? "critical" : "warning" }

    /// The host of this server in URLs, with its port.
    fileprivate var source: String {
        let authority = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first
        return authority.map(String.init) ?? "weir"
    }

    fileprivate var end: Timestamp { Timestamp(milliseconds: endedAt) }
}
