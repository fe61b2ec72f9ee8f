import Weir

/// Where a countdown stands.
///
/// `counting` and `succeeded` have a template in `Templates/operations/countdown`; the others are shown by their phase.
enum CountdownState: ConventionalState {
    case waiting
    case counting(left: Int, progress: WorkProgress)
    case succeeded
    case failed(message: String)
    case cancelled

    static let ownSamples: [Self] = [.counting(left: 7, progress: WorkProgress(3, of: 10)), .succeeded]
}
