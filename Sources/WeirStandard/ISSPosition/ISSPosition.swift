package import WeirFlows
package import WeirOperations

/// Follows the International Space Station: asks a feed again and again for as long as the run goes.
///
/// Meant for `Lifetime.whileWatched`. It never ends of itself and never throws but for its cancellation.
package struct ISSPosition: StateOperation {
    /// What it needs to know.
    package struct Configuration: Sendable {
        /// The address of the feed.
        package let url: String
        /// The wait between an answer and the next question.
        package let interval: Duration
        /// How long an answer may take.
        package let timeout: Duration
        /// How many positions the trail keeps.
        package let trailLength: Int
        /// How long to wait after failures; by default from the interval up to a minute.
        package let backoff: Backoff

        /// Creates a configuration.
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

    /// Creates the operation.
    package init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Requests, reports and waits, until the task is cancelled.
    ///
    /// A feed that fails is a state, and is requested again after a backoff.
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
