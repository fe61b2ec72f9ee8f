import Foundation
package import WeirFlows
package import WeirOperations
package import WeirStates

/// Requests a greeting over HTTP.
///
/// The simplest operation, and the counterpart of `FooOperation` in the article.
///
/// Sends `GET <url>?label=<label>`; the response body, as plain text, is the greeting.
package struct Greeting: StateOperation {
    package struct Configuration: Sendable {
        /// Returns the URL of the service at each run; nil while unknown, such as before a server is bound.
        let url: @Sendable () -> String?
        /// Whether the URL is this server's own.
        let isOwn: Bool
        let timeout: Duration

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

    package init(_ configuration: Configuration, environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        exchange = HTTPExchange(environment: environment)
    }

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

package struct GreetingInput: OperationInput, Hashable {
    let label: String

    package static var fields: [InputField] {
        [
            InputField(
                "label", "Label", .text(maximumLength: 200), required: true, default: "World", help: "Whom to greet.")
        ]
    }
}

/// The states of a greeting: those of `FooOperation` in *StateFlow on KMP and SwiftUI*, and cancelled.
package enum GreetingState: OperationState {
    case none
    case loading
    case success(greeting: String)
    case error(message: String)
    case cancelled

    package static var initial: Self { .none }
    package static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    package static func cancelled(from last: Self) -> Self { .cancelled }

    package var phase: Phase {
        switch self {
        case .none: .idle
        case .loading: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    package static var samples: [Self] {
        [
            .none, .loading, .success(greeting: "Hello, World!"),
            failed(HTTPFailure.refused(address: "127.0.0.1", port: 9)), .cancelled,
        ]
    }
}
