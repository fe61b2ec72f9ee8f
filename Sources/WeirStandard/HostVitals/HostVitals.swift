package import WeirFlows
package import WeirOperations

/// Monitors this machine: CPU, memory, load, disk and network, once per interval until cancelled.
///
/// Meant for `Lifetime.whileWatched`.
package struct HostVitals: StateOperation {
    package struct Configuration: Sendable {
        let reader: any HostReader
        let interval: Duration
        /// The number of values kept per series.
        let historyLength: Int

        package init(reader: any HostReader, interval: Duration = .seconds(1), historyLength: Int = 60) {
            self.reader = reader
            self.interval = interval
            self.historyLength = historyLength
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    package init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Reads, publishes and sleeps until cancelled; throws only if the first reading is empty.
    package func perform(_ input: NoInput, state: MutableStateFlow<HostVitalsState>) async throws {
        var history = VitalsHistory(length: configuration.historyLength)
        var elapsed: @Sendable () -> Int64 = { 0 }
        var reading = configuration.reader.read()
        guard !reading.isEmpty else { throw HostUnreadable() }
        while true {
            let milliseconds = elapsed()
            elapsed = environment.stopwatch()
            state.value = history.take(reading, after: milliseconds, at: environment.moment())
            try await environment.clock.sleep(for: configuration.interval)
            reading = configuration.reader.read()
        }
    }
}
