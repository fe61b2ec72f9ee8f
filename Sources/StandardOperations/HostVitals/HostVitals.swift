public import Flows
public import Operations

/// Watches this machine: CPU, memory, load, disk and network, each second for as long as the run goes.
///
/// Needs no network.
///
/// Meant for `Lifetime.whileWatched`.
public struct HostVitals: StateOperation {
    /// What it needs to know.
    public struct Configuration: Sendable {
        /// What reads the machine.
        public let reader: any HostReader
        /// The time between readings.
        public let interval: Duration
        /// How many values of each series are kept.
        public let historyLength: Int

        /// Makes a configuration.
        public init(reader: any HostReader, interval: Duration = .seconds(1), historyLength: Int = 60) {
            self.reader = reader
            self.interval = interval
            self.historyLength = historyLength
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    /// Makes the operation.
    public init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Reads, tells, waits, until the task is cancelled.
    ///
    /// Throws only when the first reading says nothing at all.
    public func perform(_ input: NoInput, state: MutableStateFlow<HostVitalsState>) async throws {
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
