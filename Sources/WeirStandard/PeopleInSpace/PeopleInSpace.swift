package import WeirFlows
package import WeirOperations

/// Asks who is in space, and aboard what.
package struct PeopleInSpace: StateOperation {
    /// What it needs to know.
    package struct Configuration: Sendable {
        /// The address of the feed, in the shape of open-notify's `astros.json`.
        package let url: String
        /// How long it may take.
        package let timeout: Duration

        /// Creates a configuration.
        package init(url: String = "http://api.open-notify.org/astros.json", timeout: Duration = .seconds(10)) {
            self.url = url
            self.timeout = timeout
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    /// Creates the operation.
    package init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Goes from `none` through `loading` to `success`; throws ``HTTPFailure``, which becomes `error`.
    package func perform(_ input: NoInput, state: MutableStateFlow<PeopleInSpaceState>) async throws {
        state.value = .loading
        let crafts = try await HTTPExchange(environment: environment)
            .fetch(configuration.url, limit: 1_000_000, timeout: configuration.timeout) { try CrewList($0).crafts }
        state.value = .success(
            total: crafts.reduce(0) { $0 + $1.count }, crafts: crafts, at: environment.moment())
    }
}
