import Operations
import States

/// Where a countdown stands.
///
/// Each case has a template in `Templates/operations/countdown`, or is shown by its phase.
enum CountdownState: OperationState {
    case ready
    case counting(left: Int, of: Int)
    case launched
    case scrubbed
    case failed(message: String)

    static var initial: Self { .ready }
    static func failed(_ error: any Error) -> Self { .failed(message: "\(error)") }
    static func cancelled(from last: Self) -> Self { .scrubbed }
    static var samples: [Self] {
        [.ready, .counting(left: 3, of: 10), .launched, .scrubbed, .failed(message: "The tower is in the way.")]
    }

    var phase: Phase {
        switch self {
        case .ready: .idle
        case .counting: .active
        case .launched: .succeeded
        case .scrubbed: .cancelled
        case .failed: .failed
        }
    }

    var progress: WorkProgress? {
        guard case .counting(let left, let all) = self else { return nil }
        return WorkProgress(Int64(all - left), of: Int64(all))
    }
}
