import WeirOperations
package import WeirStates

/// The states of an operation that a file declares: those that every program has, and those that its file or the program
/// itself names.
///
/// | state | case | payload |
/// |---|---|---|
/// | `.waiting` | `waiting` | `{}` |
/// | `.active("uploading", …)` | `uploading` | `{"show": "Uploading a.bin", "values": {"file": "a.bin"}, "completed": 40, "total": 100, "unit": "bytes"}` |
/// | `.retrying(…)` | `retrying` | `{"attempt": 2, "of": 4, "milliseconds": 30000, "message": "…"}` |
/// | `.stopping` | `stopping` | `{}` |
/// | `.succeeded(…)` | `succeeded` | as an active one |
/// | `.failed(…)` | `failed` | `{"message": "…", "last": "the last line on standard error", "code": 1}` |
/// | `.cancelled` | `cancelled` | `{}` |
///
/// Active, succeeded and failed ones also have `"slow": "uploading"` if a pattern of that state was given up.
package enum CommandState: OperationState, StoppingState, DetouringState, SharedTemplates {
    /// The program has not begun.
    case waiting
    /// The program runs; `running` is the name until it says something else.
    case active(String, StateDetails)
    /// The program failed, and is run again after a time.
    case retrying(CommandRetry)
    /// The program was asked to stop, and has not ended yet.
    case stopping
    /// The program ended as it should.
    case succeeded(StateDetails)
    /// The program could not be run, or did not end as it should.
    case failed(problem: CommandProblem)
    /// The program was stopped.
    case cancelled

    /// The state of a program that has said nothing about itself.
    static let running = "running"
    /// The state of a run whose file is still arriving.
    static let receiving = "receiving"
    /// The names that files and programs cannot give to states.
    static let ownNames: Set = [
        "waiting", "retrying", "stopping", "succeeded", "failed", "cancelled", "interrupted", "idle", "active", "value",
    ]

    /// Whether a file or a program can give a state that name.
    static func isFree(_ name: String) -> Bool { Shape.isName(name, limit: 40) && !ownNames.contains(name) }

    /// `waiting`.
    package static var initial: CommandState { .waiting }

    /// `failed`, with the error in words that can be shown to anybody.
    package static func failed(_ error: any Error) -> CommandState {
        .failed(problem: error as? CommandProblem ?? CommandProblem(message: error.explanation))
    }

    /// `cancelled`.
    package static func cancelled(from last: CommandState) -> CommandState { .cancelled }

    /// `stopping`.
    package var stopping: CommandState { .stopping }

    /// What a program passes through only when it is to end early, or did not end well at first.
    package static let detours: Set = ["retrying", "stopping"]

    /// The states that every program has.
    package static var samples: [CommandState] {
        [
            .waiting, .active(running, StateDetails()),
            .active(
                running,
                StateDetails(
                    show: "Uploading a.bin", values: ["file": "a.bin"], progress: WorkProgress(40, of: 100),
                    slow: "uploading")),
            .retrying(CommandRetry(attempt: 2, of: 4, milliseconds: 30_000, message: "It ended with exit code 1.")),
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
        case .active, .retrying, .stopping: .active
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    package var progress: WorkProgress? {
        guard case .active(_, let details) = self else { return nil }
        return details.progress
    }

    package static var templateFolder: String { "command" }

    /// The name under which it is recorded.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .active(let name, _): name
        case .retrying: "retrying"
        case .stopping: "stopping"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
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

    private enum NoMember: CodingKey {}

    /// Reads what was recorded.
    package init(from decoder: any Decoder) throws {
        let cases = try decoder.container(keyedBy: Key.self)
        guard let key = cases.allKeys.first, cases.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A state is an object with one member."))
        }
        switch key.stringValue {
        case "waiting": self = .waiting
        case "stopping": self = .stopping
        case "cancelled": self = .cancelled
        case "retrying": self = .retrying(try cases.decode(CommandRetry.self, forKey: key))
        case "succeeded": self = .succeeded(try cases.decode(StateDetails.self, forKey: key))
        case "failed": self = .failed(problem: try cases.decode(CommandProblem.self, forKey: key))
        case let name: self = .active(name, try cases.decode(StateDetails.self, forKey: key))
        }
    }

    /// Writes what is recorded.
    package func encode(to encoder: any Encoder) throws {
        var cases = encoder.container(keyedBy: Key.self)
        let key = Key(stringValue: name)
        switch self {
        case .waiting, .stopping, .cancelled: _ = cases.nestedContainer(keyedBy: NoMember.self, forKey: key)
        case .active(_, let details), .succeeded(let details): try cases.encode(details, forKey: key)
        case .retrying(let retry): try cases.encode(retry, forKey: key)
        case .failed(let problem): try cases.encode(problem, forKey: key)
        }
    }
}

/// That a failed program is run again.
package struct CommandRetry: Codable, Sendable, Hashable {
    /// Which attempt comes next, from 2.
    let attempt: Int
    /// How many attempts there are at most.
    let of: Int
    /// The time until the next attempt.
    let milliseconds: Int64
    /// Why the last one failed.
    let message: String
}

/// Why a program could not be run, or did not end as it should.
package struct CommandProblem: ExplainedError, Codable, Sendable, Hashable {
    /// What happened and what to do, in a sentence.
    let message: String
    /// The last line that the program printed on standard error, or on standard output if there was none.
    var last: String?
    /// Its exit code.
    var code: Int32?
    /// The state of a pattern that took too long and was given up for the run.
    var slow: String?

    package var description: String { message }
}
