package import WeirFlows
package import WeirOperations
package import WeirStates

/// Follows the International Space Station by polling a feed until cancelled.
///
/// Meant for `Lifetime.whileWatched`. Throws only on cancellation.
package struct ISSPosition: StateOperation {
    package struct Configuration: Sendable {
        let url: String
        /// The delay between a response and the next request.
        let interval: Duration
        let timeout: Duration
        /// The maximum number of positions in the trail.
        let trailLength: Int
        /// The delay after failures; by default from `interval` up to a minute.
        let backoff: Backoff

        package init(
            url: String = "http://api.open-notify.org/iss-now.json", interval: Duration = .seconds(5),
            timeout: Duration = .seconds(10), trailLength: Int = 120, backoff: Backoff? = nil
        ) {
            self.url = url
            self.interval = interval
            self.timeout = timeout
            self.trailLength = trailLength
            self.backoff = backoff ?? Backoff(base: interval, maximum: .seconds(60))
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    package init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Requests, publishes and sleeps until cancelled; failures are states and are retried after a backoff.
    package func perform(_ input: NoInput, state: MutableStateFlow<ISSPositionState>) async throws {
        var track = GroundTrack(limit: configuration.trailLength)
        var last: (position: GroundPosition, at: String)?
        var failures = 0
        var since = ""
        state.value = .locating
        while true {
            let wait: Duration
            do {
                let position = try await ask()
                track.append(position)
                let at = environment.moment()
                state.value = .tracking(position: position, trail: track.lines, at: at)
                (last, failures, wait) = ((position, at), 0, configuration.interval)
            } catch let failure as HTTPFailure {
                failures += 1
                if failures == 1 { since = environment.moment() }
                wait = configuration.backoff.delay(afterFailures: failures, random: environment.random())
                state.value =
                    if let last {
                        .stale(
                            position: last.position, trail: track.lines, at: last.at, message: failure.description,
                            since: since, failures: failures, retryMilliseconds: wait.milliseconds)
                    } else {
                        .error(
                            message: failure.description, since: since, failures: failures,
                            retryMilliseconds: wait.milliseconds)
                    }
            }
            try await environment.clock.sleep(for: wait)
        }
    }

    private func ask() async throws -> GroundPosition {
        try await HTTPExchange(environment: environment)
            .fetch(configuration.url, limit: 100_000, timeout: configuration.timeout) { try GroundPosition(answer: $0) }
    }
}

/// The states of following the International Space Station.
///
/// `stale` and `error` are active, because the operation retries.
package enum ISSPositionState: OperationState {
    case none
    /// The first request is pending.
    case locating
    case tracking(position: GroundPosition, trail: [String], at: String)
    /// The feed fails; the position is the last known one.
    case stale(
        position: GroundPosition, trail: [String], at: String, message: String, since: String, failures: Int,
        retryMilliseconds: Int64)
    /// The feed fails and never returned a position.
    case error(message: String, since: String, failures: Int, retryMilliseconds: Int64)
    /// A failure that is not retried.
    case failed(message: String)
    /// The last viewer left; the position is the last known one.
    case stopped(position: GroundPosition?, trail: [String], at: String?)

    package static var initial: Self { .none }

    /// The operation itself retries instead of throwing.
    package static func failed(_ error: any Error) -> Self {
        .failed(message: error.explanation)
    }

    package static func cancelled(from last: Self) -> Self {
        switch last {
        case .tracking(let position, let trail, let at), .stale(let position, let trail, let at, _, _, _, _):
            .stopped(position: position, trail: trail, at: at)
        case .stopped: last
        case .none, .locating, .error, .failed: .stopped(position: nil, trail: [], at: nil)
        }
    }

    package var phase: Phase {
        switch self {
        case .none: .idle
        case .locating, .tracking, .stale, .error: .active
        case .failed: .failed
        case .stopped: .cancelled
        }
    }

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
    package static var detours: Set<String> { ["stale", "error"] }
}
