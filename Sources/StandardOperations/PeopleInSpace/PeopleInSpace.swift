public import Flows
public import Operations

/// Asks who is in space, and aboard what.
public struct PeopleInSpace: StateOperation {
    /// What it needs to know.
    public struct Configuration: Sendable {
        /// The address of the feed, in the shape of open-notify's `astros.json`.
        public let url: String
        /// How long it may take.
        public let timeout: Duration

        /// Makes a configuration.
        public init(url: String = "http://api.open-notify.org/astros.json", timeout: Duration = .seconds(10)) {
            self.url = url
            self.timeout = timeout
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    /// Makes the operation.
    public init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Goes from `none` through `loading` to `success`; throws ``HTTPFailure``, which becomes `error`.
    public func perform(_ input: NoInput, state: MutableStateFlow<PeopleInSpaceState>) async throws {
        state.value = .loading
        let answer = try await HTTPExchange(environment: environment)
            .fetch(configuration.url, limit: 1_000_000, timeout: configuration.timeout)
        let crafts = try CrewList(answer).crafts
        state.value = .success(
            total: crafts.reduce(0) { $0 + $1.count }, crafts: crafts, at: environment.moment())
    }
}
