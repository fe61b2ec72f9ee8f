import WeirFlows
import WeirOperations
import WeirStates

/// An operation without templates of its own, with every kind of field, steps, progress and payloads of odd shapes.
struct CopyOperation: StateOperation {
    func perform(_ input: CopyInput, state: MutableStateFlow<CopyState>) async throws {}
}

struct CopyInput: OperationInput {
    var name = ""

    static var fields: [InputField] {
        [
            InputField(
                "name", "Name", .text(maximumLength: 20, pattern: "[a-z]+"), required: true, help: "In lower case."),
            InputField("note", "Note", .multiline()),
            InputField("source", "Source", .url(), required: true),
            InputField("count", "Count", .integer(1...5), default: 2, unit: "pieces"),
            InputField("ratio", "Ratio", .number(0...1), default: 0.5),
            InputField("isQuick", "Quick", .boolean, default: true, help: "Without a check."),
            InputField("mode", "Mode", .choice(["whole", "part"]), default: "part"),
            InputField("file", "File", .file),
        ]
    }
}

enum CopyState: OperationState {
    case waiting
    case reading(bytes: Int64, total: Int64?)
    case writing(target: String, part: Int, nested: [String: [Int]], note: String?)
    case done(target: String, isWhole: Bool, ratio: Double)
    case failed(message: String)
    case stopped

    static var initial: Self { .waiting }
    static func failed(_ error: any Error) -> Self { .failed(message: "\(error)") }
    static func cancelled(from last: Self) -> Self { .stopped }

    var phase: Phase {
        switch self {
        case .waiting: .idle
        case .reading, .writing: .active
        case .done: .succeeded
        case .failed: .failed
        case .stopped: .cancelled
        }
    }

    var progress: WorkProgress? {
        guard case .reading(let bytes, let total) = self else { return nil }
        return WorkProgress(bytes, of: total, unit: .bytes)
    }

    static var samples: [Self] {
        [
            .waiting, .reading(bytes: 620, total: 1_000), .reading(bytes: 620, total: nil),
            .writing(target: "a/b", part: 3, nested: ["x": [1, 2]], note: "n"),
            .done(target: "a/b", isWhole: true, ratio: 0.5),
            .failed(message: "The target is full. Make room and try again."), .stopped,
        ]
    }
}
