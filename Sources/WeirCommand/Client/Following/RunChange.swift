package import WeirStates

/// A change of a run, as its stream has it.
package struct RunChange: Sendable, Hashable {
    /// The name of the state.
    package let state: String
    package let phase: Phase
    package let progress: WorkProgress?
    /// What the state holds.
    package let payload: JSONValue
    /// When it happened, in ISO 8601 and UTC.
    package let at: String
    /// Whether the state has another name, or another phase, than the one before.
    package let isTransition: Bool

    package init(
        state: String, phase: Phase = .active, progress: WorkProgress? = nil, payload: JSONValue = [:], at: String = "",
        isTransition: Bool = true
    ) {
        self.state = state
        self.phase = phase
        self.progress = progress
        self.payload = payload
        self.at = at
        self.isTransition = isTransition
    }

    /// Reads a message of the stream; nil for anything that is not a change of a run.
    package init?(_ message: JSONValue) {
        guard let name = message["case"]?.string, let phase = message["phase"]?.string.flatMap(Phase.init(rawValue:))
        else { return nil }
        self.init(
            state: name, phase: phase, progress: message["progress"].flatMap(WorkProgress.init(told:)),
            payload: message["state"] ?? [:], at: message["at"]?.string ?? "",
            isTransition: message["transition"]?.bool ?? true)
    }

    /// What a script learns from the exit code: 0 succeeded, 1 failed, 2 cancelled, 3 interrupted; nil while it goes on.
    package var exitCode: Int32? {
        switch phase {
        case .idle, .active: nil
        case .succeeded: 0
        case .failed: 1
        case .cancelled: 2
        case .interrupted: 3
        }
    }
}

extension WorkProgress {
    /// Reads a progress as the API has it; nil for null and for anything else.
    package init?(told: JSONValue) {
        guard let completed = told["completed"]?.integer else { return nil }
        self.init(
            completed, of: told["total"]?.integer,
            unit: told["unit"]?.string.flatMap(Unit.init(rawValue:)) ?? .items)
    }
}
