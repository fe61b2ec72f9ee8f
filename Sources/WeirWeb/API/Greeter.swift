import Hummingbird
import WeirStates

/// A greeting in plain text: what the greeting operation asks by default, so that it works without a network.
struct Greeter {
    let dashboard: AudienceDashboard

    func greet(_ exchange: Exchange) throws(Problem) -> Response {
        guard dashboard.configuration.helloRoute else { throw .noSuchPage }
        guard let label = exchange.target.query["label"], !label.isEmpty else {
            throw .malformedQuery("label", "must name whom to greet, as in hello?label=World.")
        }
        return .text("Hello, \(label)!", type: "text/plain; charset=utf-8", caching: "no-store")
    }
}
