import Foundation
package import WeirFlows
import WeirOperations
import WeirStates

/// Asks a service over HTTP for a greeting: the first operation to read, and the `FooOperation` of the text.
///
/// Sends `GET <url>?label=<label>`; the answer's body, as plain text, is the greeting.
package struct Greeting: StateOperation {
    /// The settings of a greeting.
    package struct Configuration: Sendable {
        /// The address of the service, read at each run; nil while it is unknown, as before a server is bound.
        package let url: @Sendable () -> String?
        /// Whether that address is this very server's.
        package let isOwn: Bool
        /// How long a greeting may take.
        package let timeout: Duration

        /// Creates a configuration.
        package init(
            timeout: Duration = .seconds(10), isOwn: Bool = false, url: @escaping @Sendable () -> String?
        ) {
            self.url = url
            self.isOwn = isOwn
            self.timeout = timeout
        }
    }

    private let configuration: Configuration
    private let exchange: HTTPExchange

    /// Creates the operation.
    package init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        exchange = HTTPExchange(environment: environment)
    }

    /// Goes from `none` through `loading` to `success`; throws ``HTTPFailure``, which becomes `error`.
    package func perform(_ input: GreetingInput, state: MutableStateFlow<GreetingState>) async throws {
        state.value = .loading
        guard let base = configuration.url() else {
            throw HTTPFailure.invalidURL(
                reason: "The address of the greeting service is not known yet. Try again soon.")
        }
        let url = base + (base.contains("?") ? "&" : "?") + "label=" + PercentEncoding.encode(input.label)
        let greeting = try await exchange.fetch(
            url, isOwn: configuration.isOwn, limit: 16_384, timeout: configuration.timeout
        ) { String(decoding: $0, as: UTF8.self).inert(limit: 2_000) }
        state.value = .success(greeting: greeting)
    }
}
