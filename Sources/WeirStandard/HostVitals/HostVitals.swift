package import WeirFlows
package import WeirOperations

/// Watches this machine: CPU, memory, load, disk and network, each second for as long as the run goes.
///
/// Needs no network.
///
/// Meant for `Lifetime.whileWatched`.
package struct HostVitals: StateOperation {
    /// What it needs to know.
    package struct Configuration: Sendable {
        /// What reads the machine.
        package let reader: any HostReader
        /// The time between readings.
        package let interval: Duration
        /// How many values of each series are kept.
        package let historyLength: Int

        /// Creates a configuration.
        package init(reader: any HostReader, interval: Duration = .seconds(1), historyLength: Int = 60) {
            self.reader = reader
            self.interval = interval
            self.historyLength = historyLength
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    /// Creates the operation.
    package init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Reads, reports and waits, until the task is cancelled.
    ///
    /// Throws only if the first reading is empty.
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
