import WeirOperations
package import WeirStates

/// The states of asking who is in space.
package enum PeopleInSpaceState: OperationState {
    /// Nothing has been asked.
    case none
    /// The service has been asked.
    case loading
    /// Who is where, the fullest craft first.
    case success(total: Int, crafts: [Craft], at: String)
    /// There is no answer, and the message says why.
    case error(message: String)
    /// It was asked to stop.
    case cancelled

    /// Nothing has been asked.
    package static var initial: Self { .none }
    /// The error in a sentence.
    package static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    /// Cancelled, whatever it was doing.
    package static func cancelled(from last: Self) -> Self { .cancelled }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .loading: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// One state of every case at least.
    package static var samples: [Self] {
        let crafts = [
            Craft(name: "ISS", people: ["Oleg Kononenko", "Nikolai Chub", "Tracy Caldwell Dyson"]),
            Craft(name: "Tiangong", people: ["Li Guangsu", "Li Cong"]),
        ]
        return [
            .none, .loading, .success(total: 5, crafts: crafts, at: "2026-11-20T12:01:55.000Z"),
            .success(total: 0, crafts: [], at: "2026-11-20T12:01:55.000Z"),
            failed(HTTPFailure.timedOut(during: .connecting, after: .seconds(10))), .cancelled,
        ]
    }
}
