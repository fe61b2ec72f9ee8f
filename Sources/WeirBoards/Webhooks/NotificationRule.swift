package import WeirStates

package enum NotificationEvent: String, Sendable, Hashable, Codable, CaseIterable {
    case failed
    case succeeded
    case cancelled
    /// A run ended because the server stopped.
    case interrupted
    /// A run succeeded, as the first one since another failed or was interrupted.
    case recovered
    /// An active run takes longer than usual.
    case slow
    /// A scheduled start was refused, or its time passed.
    case missed
    /// A condition of the server itself began or ended.
    case server
    /// The time of a digest or a report has come; the event of its message, and not of rules.
    case digest, report

    /// The events that a rule can name.
    package static let ofRules = allCases.filter { ![.digest, .report].contains($0) }
}

/// A notification rule: the channel for some events of an operation's runs.
package struct NotificationRule: Sendable, Hashable {
    package enum Channel: Sendable, Hashable {
        case webhook(Webhook)
        case command([PathTemplate])
        case email([MailAddress])
    }

    package struct Webhook: Sendable, Hashable {
        /// A template with paths below `secrets`.
        package let url: PathTemplate
        package let body: NotificationFormat
        /// The receiver within the service, for formats that need one; a template with paths below `secrets`.
        package let to: PathTemplate?
        package let headers: [Header]
        /// The name of the stored secret that signs the request.
        package let signingSecret: String?

        package init(
            url: PathTemplate, body: NotificationFormat, to: PathTemplate? = nil, headers: [Header] = [],
            signingSecret: String? = nil
        ) {
            self.url = url
            self.body = body
            self.to = to
            self.headers = headers
            self.signingSecret = signingSecret
        }
    }

    /// A header field of the request, with paths below `secrets`.
    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: PathTemplate

        package init(name: String, value: PathTemplate) {
            self.name = name
            self.value = value
        }
    }

    /// The name, unique among the operation's rules; links a queued delivery to its rule when the file changes.
    package let name: String
    package let events: Set<NotificationEvent>
    package let channel: Channel
    /// The times of a rule that sends digests or reports instead of a message for each event.
    package let period: NotificationPeriod?

    package init(
        name: String, events: Set<NotificationEvent>, channel: Channel, period: NotificationPeriod? = nil
    ) {
        self.name = name
        self.events = events
        self.channel = channel
        self.period = period
    }

    /// The events of its messages, also of digests and reports.
    package var occasions: Set<NotificationEvent> {
        switch period?.kind {
        case .digest: [.digest]
        case .report: [.report]
        case nil: events
        }
    }

    /// The destination as display text, without anything that could be secret.
    package var place: String {
        switch channel {
        case .webhook(let webhook):
            if let secret = webhook.url.paths.first { return "\(webhook.body.title): \(secret)" }
            let authority = webhook.url.beginning.split(separator: "/").dropFirst().first
            return "\(webhook.body.title): \(authority?.prefix(100) ?? "")"
        case .command(let arguments): return "\(arguments.first?.beginning.prefix(100) ?? "")"
        case .email(let receivers):
            return "E-mail: \(receivers.map(\.description).joined(separator: ", ").cut(to: 100, .utf16))"
        }
    }

    /// The names of the stored secrets that the rule needs.
    var secrets: Set<String> {
        guard case .webhook(let webhook) = channel else { return [] }
        let paths = webhook.url.paths + webhook.headers.flatMap(\.value.paths) + (webhook.to?.paths ?? [])
        return Set(paths.compactMap { $0.below?.description } + [webhook.signingSecret].compactMap { $0 })
    }
}

/// The content of a notification: recorded facts of a run, and therefore no secrets.
package struct NotificationFacts: Sendable, Hashable, Codable {
    /// The id of the delivery, the same for each attempt.
    package var delivery: String
    /// The event; nil for a test.
    package var event: NotificationEvent?
    package var operation: String
    var title: String
    /// The run's id; nil for a test.
    package var run: String?
    /// The URL of the run, or of the operation.
    package var url: String
    package var phase: Phase?
    package var state: String?
    package var message: String?
    /// Who started the run, or requested the test.
    var actor: String
    /// The run's input without secrets.
    package var input: JSONValue
    /// When the run began, in milliseconds since 1970.
    package var startedAt: Int64?
    /// When the run ended; for an active run, when the event was detected.
    package var endedAt: Int64
    /// The step that the run ended at, with the steps within it.
    package var step: String?
    /// The same with the titles of the steps.
    package var stepTitle: String?
    /// The last lines of output, oldest first: of a run of steps, those of that step.
    package var output: [String]?
    /// The scheduled time of a start that did not happen, in milliseconds since 1970.
    var plannedAt: Int64?
    /// The condition of the server that the message is about.
    var condition: ServerCondition?
    /// The content of a digest or a report.
    package var summary: NotificationSummary?

    package init(
        delivery: String, event: NotificationEvent?, operation: String, title: String, run: String? = nil,
        url: String = "", phase: Phase? = nil, state: String? = nil, message: String? = nil, actor: String,
        input: JSONValue = [:], startedAt: Int64? = nil, endedAt: Int64
    ) {
        self.delivery = delivery
        self.event = event
        self.operation = operation
        self.title = title
        self.run = run
        self.url = url
        self.phase = phase
        self.state = state
        self.message = message
        self.actor = actor
        self.input = input
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    package var headline: String {
        if let summary { return summary.headline }
        if let condition { return "\(title) \(condition.words)" }
        guard let event else { return "A test message of \(title)" }
        let verb =
            switch event {
            case .failed: "failed"
            case .succeeded: "succeeded"
            case .cancelled: "was cancelled"
            case .interrupted: "was interrupted"
            case .recovered: "succeeds again"
            case .slow: "takes longer than usual"
            case .missed: "was not started by its schedule"
            case .server: "reports a change of its condition"
            case .digest, .report: "sums up what happened"
            }
        return "\(title) \(verb)"
    }

    /// The duration of the run so far as display text.
    var duration: String? {
        guard let startedAt else { return nil }
        let (milliseconds, isOver) = endedAt.subtractingReportingOverflow(startedAt)
        guard !isOver, milliseconds >= 0 else { return nil }
        return Self.words(ofDuration: milliseconds)
    }

    package static func words(ofDuration milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        switch seconds {
        case 0: return "\(milliseconds) ms"
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        }
    }

    /// The last lines of output as one text, or nil if there are none or the event is good news.
    var shownOutput: String? {
        guard tone != .good, let output, output.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
        return output.joined(separator: "\n")
    }

    /// The actor and the duration in one line.
    var note: String {
        if let summary { return summary.period }
        if let condition {
            let since = "since \(condition.since)"
            return condition.isOver ? "It was so \(since)." : "It is so \(since)."
        }
        guard event != nil else { return "\(actor) asked for it." }
        guard event != .missed else { return "No run was started." }
        return "Started by \(actor)" + (duration.map { " · \($0)" } ?? "")
    }

    /// The names of the values that command arguments can contain.
    package static let names = [
        "event", "operation", "title", "run", "url", "phase", "state", "message", "actor", "headline", "delivery",
        "step", "step_title", "output",
    ]

    /// The value with that name, empty if absent; nil for an unknown name.
    package func value(_ name: String) -> String? {
        switch name {
        case "event": event?.rawValue ?? "test"
        case "operation": operation
        case "title": title
        case "run": run ?? ""
        case "url": url
        case "phase": phase?.rawValue ?? ""
        case "state": state ?? ""
        case "message": message ?? ""
        case "actor": actor
        case "headline": headline
        case "delivery": delivery
        case "step": step ?? ""
        case "step_title": stepTitle ?? ""
        case "output": output?.joined(separator: "\n") ?? ""
        default: nil
        }
    }
}
