package import WeirStates

/// What a message says: facts of a run that the journal has, and so no secret.
package struct NotificationFacts: Sendable, Hashable, Codable {
    /// The id of the delivery, which is the same in each attempt.
    package var delivery: String
    /// What happened; nil for a test.
    package var event: NotificationEvent?
    /// The operation's id.
    package var operation: String
    /// What people call it.
    package var title: String
    /// The run; nil for a test.
    package var run: String?
    /// The page of the run, or of the operation.
    package var url: String
    /// The phase that the run ended in, or is in.
    package var phase: Phase?
    /// The name of the state it ended in, or is in.
    package var state: String?
    /// What the state says.
    package var message: String?
    /// Who started the run, or asked for the test.
    package var actor: String
    /// What the run was started with, secrets left out.
    package var input: JSONValue
    /// When the run began, in milliseconds since 1970.
    package var startedAt: Int64?
    /// When it ended; of a run that goes on, when this was noticed.
    package var endedAt: Int64

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

    /// What happened, in a line.
    package var headline: String {
        guard let event else { return "A test message of \(title)" }
        let verb =
            switch event {
            case .failed: "failed"
            case .succeeded: "succeeded"
            case .cancelled: "was cancelled"
            case .interrupted: "was interrupted"
            case .recovered: "succeeds again"
            case .slow: "takes longer than usual"
            }
        return "\(title) \(verb)"
    }

    /// How long the run took, or has taken so far, for people.
    package var duration: String? {
        guard let startedAt else { return nil }
        let (milliseconds, isOver) = endedAt.subtractingReportingOverflow(startedAt)
        guard !isOver, milliseconds >= 0 else { return nil }
        let seconds = milliseconds / 1_000
        switch seconds {
        case 0: return "\(milliseconds) ms"
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        }
    }

    /// Who and how long, in a line.
    package var note: String {
        guard event != nil else { return "\(actor) asked for it." }
        return "Started by \(actor)" + (duration.map { " · \($0)" } ?? "")
    }

    /// The values that a command's arguments can name.
    package static let names = [
        "event", "operation", "title", "run", "url", "phase", "state", "message", "actor", "headline", "delivery",
    ]

    /// The value of that name; empty where there is none.
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
        default: nil
        }
    }
}
