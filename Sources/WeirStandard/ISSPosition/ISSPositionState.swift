import WeirOperations
package import WeirStates

/// The states of following the International Space Station.
///
/// A failing feed does not end the run: `stale` and `error` are active, because another try is on its way.
package enum ISSPositionState: OperationState {
    /// Nobody has asked.
    case none
    /// The feed has been asked and has not answered yet.
    case locating
    /// The station was there at that moment.
    case tracking(position: GroundPosition, trail: [String], at: String)
    /// The feed fails; this is the last known position.
    case stale(
        position: GroundPosition, trail: [String], at: String, message: String, since: String, failures: Int,
        retryMilliseconds: Int64)
    /// The feed fails, and has never returned a position.
    case error(message: String, since: String, failures: Int, retryMilliseconds: Int64)
    /// Something broke that another try would not mend.
    case failed(message: String)
    /// Nobody watches any more; this is the last known position, if there was one.
    case stopped(position: GroundPosition?, trail: [String], at: String?)

    /// Nobody has asked.
    package static var initial: Self { .none }

    /// The error in a sentence.
    ///
    /// The operation itself never throws one: it tries again.
    package static func failed(_ error: any Error) -> Self {
        .failed(message: error.explanation)
    }

    /// Stopped, with the last position.
    package static func cancelled(from last: Self) -> Self {
        switch last {
        case .tracking(let position, let trail, let at), .stale(let position, let trail, let at, _, _, _, _):
            .stopped(position: position, trail: trail, at: at)
        case .stopped: last
        case .none, .locating, .error, .failed: .stopped(position: nil, trail: [], at: nil)
        }
    }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .locating, .tracking, .stale, .error: .active
        case .failed: .failed
        case .stopped: .cancelled
        }
    }

    /// One state of every case at least.
    package static var samples: [Self] {
        let message = HTTPFailure.timedOut(during: .waiting, after: .seconds(10)).description
        guard let position = GroundPosition(latitude: -12.4018, longitude: 158.0965) else { return [] }
        let trail = ["1750,420 1790,455 1840,512 1878.3,568.9"]
        let (at, since) = ("2026-11-20T12:03:04.000Z", "2026-11-20T12:03:09.000Z")
        return [
            .none, .locating, .tracking(position: position, trail: trail, at: at),
            .tracking(position: position, trail: ["1960,300 2000,330.5", "0,330.5 30,352"], at: at),
            .stale(
                position: position, trail: trail, at: at, message: message, since: since, failures: 3,
                retryMilliseconds: 17_500),
            .error(message: message, since: since, failures: 1, retryMilliseconds: 4_200),
            .failed(message: "The station's feed could not be followed."),
            .stopped(position: position, trail: trail, at: at), .stopped(position: nil, trail: [], at: nil),
        ]
    }
}

extension ISSPositionState: DetouringState {
    /// What it passes through only when something does not work at first.
    package static var detours: Set<String> { ["stale", "error"] }
}
