package import WeirBoards
import WeirOperations
package import WeirStates

/// The states of a declared operation: those of every program, and those that its file or the program names.
///
/// | state | case | payload |
/// |---|---|---|
/// | `.waiting` | `waiting` | `{}` |
/// | `.active("uploading", …)` | `uploading` | `{"show": "Uploading a.bin", "values": {"file": "a.bin"}, "completed": 40, "total": 100, "unit": "bytes"}` |
/// | `.retrying(…)` | `retrying` | `{"attempt": 2, "of": 4, "milliseconds": 30000, "message": "…"}` |
/// | `.stopping` | `stopping` | `{}` |
/// | `.succeeded(…)` | `succeeded` | as an active one |
/// | `.failed(…)` | `failed` | `{"message": "…", "last": "a line it printed", "line": 7, "code": 1}` |
/// | `.cancelled` | `cancelled` | `{}` |
///
/// Stopping and ended states also have `"artifacts": [{"name": "dist/a.tar", "bytes": 40}]` if the run keeps files.
/// A succeeded state also has `"code": 3` if its exit code is not 0.
/// Active, succeeded and failed states also have `"slow": "uploading"` if a pattern of that state was disabled.
package enum CommandState: OperationState, StoppingState, PausingState, DetouringState, SharedTemplates {
    case waiting
    /// The program runs; the name is `running` until it reports a state.
    case active(String, StateDetails)
    /// The program failed, and a retry is pending.
    case retrying(CommandRetry)
    /// The program has received its stop signal and has not ended.
    case stopping
    /// Stopping, after the files were kept.
    case stoppingKept([Artifact])
    case succeeded(StateDetails)
    /// The program could not be started, or failed.
    case failed(problem: CommandProblem)
    case cancelled
    case cancelledKept([Artifact])

    /// The state before any report.
    static let running = "running"
    /// The state while the run's file arrives.
    static let receiving = "receiving"
    static let ownNames: Set = [
        "waiting", "retrying", "stopping", "succeeded", "failed", "cancelled", "interrupted", "idle", "active", "value",
    ]

    /// Whether a file or a program can use the name for a state.
    static func isFree(_ name: String) -> Bool { Shape.isName(name, limit: 40) && !ownNames.contains(name) }

    package static var initial: CommandState { .waiting }

    /// `failed`, with a description of the error that is safe to show.
    package static func failed(_ error: any Error) -> CommandState {
        .failed(problem: error as? CommandProblem ?? CommandProblem(message: error.explanation))
    }

    package static func failed(_ error: any Error, from last: CommandState) -> CommandState {
        failed(error).keeping(last.artifacts)
    }

    package static func cancelled(from last: CommandState) -> CommandState { cancelled.keeping(last.artifacts) }

    package var stopping: CommandState { isStopping ? self : .stopping }

    var problem: CommandProblem? { if case .failed(let problem) = self { problem } else { nil } }

    var isStopping: Bool { name == "stopping" }

    /// The files that the run keeps.
    var artifacts: [Artifact] {
        switch self {
        case .stoppingKept(let artifacts), .cancelledKept(let artifacts): artifacts
        case .succeeded(let details): details.artifacts
        case .failed(let problem): problem.artifacts ?? []
        case .waiting, .active, .retrying, .stopping, .cancelled: []
        }
    }

    /// The stopping or ended state with the files that the run keeps; other states are unchanged.
    func keeping(_ artifacts: [Artifact]) -> CommandState {
        guard !artifacts.isEmpty else { return self }
        switch self {
        case .stopping: return .stoppingKept(artifacts)
        case .cancelled: return .cancelledKept(artifacts)
        case .succeeded(var details):
            details.artifacts = artifacts
            return .succeeded(details)
        case .failed(var problem):
            problem.artifacts = artifacts
            return .failed(problem: problem)
        case .waiting, .active, .retrying, .stoppingKept, .cancelledKept: return self
        }
    }

    /// The states that a run skips unless it is stopped or retried.
    package static let detours: Set = ["retrying", "stopping"]

    /// The states of every program.
    package static var samples: [CommandState] {
        [
            .waiting, .active(running, StateDetails()),
            .active(
                running,
                StateDetails(
                    show: "Uploading a.bin", values: ["file": "a.bin"], progress: WorkProgress(40, of: 100),
                    slow: "uploading")),
            .retrying(CommandRetry(attempt: 2, of: 4, after: .seconds(30), message: "It ended with exit code 1.")),
            .stopping, .succeeded(StateDetails()),
            .succeeded(StateDetails(show: "The database is safe", values: ["file": "a.bin"], slow: "uploading")),
            .failed(
                problem: CommandProblem(
                    message: "It ended with exit code 1.", last: "No space left on device", code: 1, slow: "uploading")),
            .cancelled,
        ]
    }

    package var phase: Phase {
        switch self {
        case .waiting: .idle
        case .active, .retrying, .stopping, .stoppingKept: .active
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled, .cancelledKept: .cancelled
        }
    }

    package var progress: WorkProgress? {
        guard case .active(_, let details) = self else { return nil }
        return details.progress
    }

    package var isPaused: Bool { pendingRetry != nil }

    var pendingRetry: CommandRetry? {
        guard case .retrying(let retry) = self else { return nil }
        return retry
    }

    package static var templateFolder: String { "command" }

    var name: String {
        switch self {
        case .waiting: "waiting"
        case .active(let name, _): name
        case .retrying: "retrying"
        case .stopping, .stoppingKept: "stopping"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled, .cancelledKept: "cancelled"
        }
    }
}

extension CommandState {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Kept: Codable {
        var artifacts: [Artifact]?
    }

    package init(from decoder: any Decoder) throws {
        let cases = try decoder.container(keyedBy: Key.self)
        guard let key = cases.allKeys.first, cases.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A state is an object with one member."))
        }
        switch key.stringValue {
        case "waiting": self = .waiting
        case "stopping": self = .stopping.keeping(try cases.decode(Kept.self, forKey: key).artifacts ?? [])
        case "cancelled": self = .cancelled.keeping(try cases.decode(Kept.self, forKey: key).artifacts ?? [])
        case "retrying": self = .retrying(try cases.decode(CommandRetry.self, forKey: key))
        case "succeeded": self = .succeeded(try cases.decode(StateDetails.self, forKey: key))
        case "failed": self = .failed(problem: try cases.decode(CommandProblem.self, forKey: key))
        case let name: self = .active(name, try cases.decode(StateDetails.self, forKey: key))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var cases = encoder.container(keyedBy: Key.self)
        let key = Key(stringValue: name)
        switch self {
        case .waiting, .stopping, .cancelled: try cases.encode(Kept(), forKey: key)
        case .stoppingKept(let artifacts), .cancelledKept(let artifacts):
            try cases.encode(Kept(artifacts: artifacts), forKey: key)
        case .active(_, let details), .succeeded(let details): try cases.encode(details, forKey: key)
        case .retrying(let retry): try cases.encode(retry, forKey: key)
        case .failed(let problem): try cases.encode(problem, forKey: key)
        }
    }
}

/// A pending retry of a failed program.
package struct CommandRetry: Codable, Sendable, Hashable {
    /// The number of the next attempt, starting at 2.
    let attempt: Int
    let of: Int
    /// The time until the next attempt, in milliseconds.
    let milliseconds: Int64
    let message: String

    init(attempt: Int, of attempts: Int, after interval: Duration, message: String) {
        let (seconds, attoseconds) = interval.components
        (self.attempt, of, self.message) = (attempt, attempts, message)
        milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    var interval: Duration { .milliseconds(milliseconds) }
}

/// The reason why a program could not be started, or failed.
package struct CommandProblem: ExplainedError, Codable, Sendable, Hashable {
    let message: String
    /// The last line that it printed, or a line shortly before that names an error.
    var last: String?
    /// The number of that line in the output, or nil if it is not known.
    var line: Int64?
    var code: Int32?
    /// The state whose pattern was disabled for the run because it was too slow.
    var slow: String?
    /// The files that the run keeps, or nil if there are none.
    var artifacts: [Artifact]?

    package var description: String { message }
}

package struct StateDetails: Sendable, Hashable {
    /// The text of the page.
    var show: String?
    /// The values by name: texts, numbers and Booleans.
    var values: [String: JSONValue] = [:]
    var progress: WorkProgress?
    /// The exit code of a success, unless it is 0.
    var code: Int32?
    /// The state whose pattern was disabled for the run because it was too slow.
    var slow: String?
    /// The files that the run keeps.
    var artifacts: [Artifact] = []
}

extension StateDetails: Codable {
    private enum CodingKeys: String, CodingKey { case show, values, completed, total, unit, code, slow, artifacts }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        show = try members.decodeIfPresent(String.self, forKey: .show)
        values = try members.decodeIfPresent([String: JSONValue].self, forKey: .values) ?? [:]
        code = try members.decodeIfPresent(Int32.self, forKey: .code)
        slow = try members.decodeIfPresent(String.self, forKey: .slow)
        artifacts = try members.decodeIfPresent([Artifact].self, forKey: .artifacts) ?? []
        progress = members.contains(.completed) ? try WorkProgress(from: decoder) : nil
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(show, forKey: .show)
        if !values.isEmpty { try members.encode(values, forKey: .values) }
        try members.encodeIfPresent(progress?.completed, forKey: .completed)
        try members.encodeIfPresent(progress?.total, forKey: .total)
        try members.encodeIfPresent(progress?.unit, forKey: .unit)
        try members.encodeIfPresent(code, forKey: .code)
        try members.encodeIfPresent(slow, forKey: .slow)
        if !artifacts.isEmpty { try members.encode(artifacts, forKey: .artifacts) }
    }
}
