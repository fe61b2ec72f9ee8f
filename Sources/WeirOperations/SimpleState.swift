public import WeirStates

/// The states of a `SimpleOperation`.
///
/// It is encoded like any enum, except that the members of a result replace the result:
///
/// | state | case | payload |
/// |---|---|---|
/// | `.waiting` | `waiting` | `{}` |
/// | `.working(note: "a.txt", progress: 3 of 10)` | `working` | `{"note": "a.txt", "completed": 3, "total": 10, "unit":
/// "items"}` |
/// | `.succeeded("Done.")` | `succeeded` | `{"result": "Done."}` |
/// | `.succeeded(Summary(files: 12))` | `succeeded` | `{"files": 12}` |
/// | `.failed(message: "The disk is full.")` | `failed` | `{"message": "The disk is full."}` |
/// | `.cancelled` | `cancelled` | `{}` |
public enum SimpleState<Result: OperationResult>: ConventionalState {
    /// The run has not started or is queued.
    case waiting
    /// The work is in progress, with an optional note and progress.
    case working(note: String?, progress: WorkProgress?)
    /// The work succeeded.
    case succeeded(Result)
    /// The work failed; the message is a sentence for the user.
    case failed(message: String)
    /// The run was cancelled.
    case cancelled

    /// Work with and without a progress, and a result.
    public static var ownSamples: [Self] {
        [
            .working(note: nil, progress: nil),
            .working(note: "An example of a note", progress: WorkProgress(3, of: 10)), .succeeded(.sample),
        ]
    }

    /// The phase of the run.
    public var phase: Phase {
        switch self {
        case .waiting: .idle
        case .working: .active
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// The last reported progress; nil unless the work is in progress.
    public var progress: WorkProgress? {
        guard case .working(_, let progress) = self else { return nil }
        return progress
    }

    /// The last note; nil unless the work is in progress.
    public var note: String? {
        guard case .working(let note, _) = self else { return nil }
        return note
    }

    /// The result; nil unless the run succeeded.
    public var result: Result? {
        guard case .succeeded(let result) = self else { return nil }
        return result
    }
}

extension SimpleState {
    private enum Case: String, CodingKey { case waiting, working, succeeded, failed, cancelled }
    private enum Member: String, CodingKey { case note, completed, total, unit, result, message }

    /// Decodes a recorded state.
    public init(from decoder: any Decoder) throws {
        let cases = try decoder.container(keyedBy: Case.self)
        guard let name = cases.allKeys.first, cases.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A state is an object with one member."))
        }
        let members = try cases.nestedContainer(keyedBy: Member.self, forKey: name)
        switch name {
        case .waiting: self = .waiting
        case .working:
            let progress: WorkProgress? =
                members.contains(.completed) ? try cases.decode(WorkProgress.self, forKey: name) : nil
            self = .working(note: try members.decodeIfPresent(String.self, forKey: .note), progress: progress)
        case .succeeded:
            // A result encoded as an object replaces the payload; any other is its member `result`.
            if let whole = try? cases.decode(Result.self, forKey: name) {
                self = .succeeded(whole)
            } else {
                self = .succeeded(try members.decode(Result.self, forKey: .result))
            }
        case .failed: self = .failed(message: try members.decode(String.self, forKey: .message))
        case .cancelled: self = .cancelled
        }
    }

    /// Encodes the state.
    public func encode(to encoder: any Encoder) throws {
        var cases = encoder.container(keyedBy: Case.self)
        switch self {
        case .waiting: _ = cases.nestedContainer(keyedBy: Member.self, forKey: .waiting)
        case .working(let note, let progress):
            var members = cases.nestedContainer(keyedBy: Member.self, forKey: .working)
            try members.encodeIfPresent(note, forKey: .note)
            try members.encodeIfPresent(progress?.completed, forKey: .completed)
            try members.encodeIfPresent(progress?.total, forKey: .total)
            try members.encodeIfPresent(progress?.unit, forKey: .unit)
        case .succeeded(let result):
            let encoded = try JSONValue(encoding: result)
            if encoded.object != nil {
                try cases.encode(encoded, forKey: .succeeded)
            } else {
                var members = cases.nestedContainer(keyedBy: Member.self, forKey: .succeeded)
                try members.encode(encoded, forKey: .result)
            }
        case .failed(let message):
            var members = cases.nestedContainer(keyedBy: Member.self, forKey: .failed)
            try members.encode(message, forKey: .message)
        case .cancelled: _ = cases.nestedContainer(keyedBy: Member.self, forKey: .cancelled)
        }
    }
}

extension SimpleState: SharedTemplates {
    package static var templateFolder: String { "simple" }
}

/// A state type with templates shared by all operations that have none of their own.
package protocol SharedTemplates {
    /// The folder of the templates below `operations/default`.
    static var templateFolder: String { get }
}
