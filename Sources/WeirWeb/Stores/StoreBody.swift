import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// Reads what is sent to a store: an action or a state as JSON, or a form.
struct StoreBody {
    let dashboard: AudienceDashboard
    let exchange: Exchange

    /// An action of a store, as `{"type":"tick","step":3}`; of a form, `type` is one of the fields.
    func action(of entry: StoreEntry) async throws(Problem) -> SentInput {
        switch try await read(limit: dashboard.configuration.maximumBodyBytes) {
        case .json(let value): return SentInput(input: value)
        case .form(let fields):
            var values = fields.dictionary
            guard let type = values.removeValue(forKey: "type") else { return SentInput(input: [:]) }
            let form = entry.form(type)?.fields ?? []
            let action = SentInput(input: InputField.object(fromForm: values, fields: form), typed: values)
            return action.adding("type", .string(type))
        }
    }

    /// The state to put in.
    enum WantedState {
        /// The one that was in force after a change.
        case after(SequenceNumber)
        /// One in Swift's `Codable` form.
        case value(JSONValue)
    }

    /// The state to put in: the one after the change that the query or the form names as `at`, else the JSON of the body.
    func wantedState() async throws(Problem) -> WantedState {
        if let moment = exchange.target.query["at"] { return .after(try exchange.moment(moment)) }
        let limit = min(dashboard.configuration.maximumStateBytes, dashboard.configuration.maximumBodyBytes)
        switch try await read(limit: limit) {
        case .json(let value): return .value(value)
        case .form(let fields):
            guard let moment = fields["at"] else { throw .unsupportedMediaType(accepted: "application/json") }
            return .after(try exchange.moment(moment))
        }
    }

    private enum Content: Sendable {
        case json(JSONValue)
        case form(FormFields)
    }

    private func read(limit: Int) async throws(Problem) -> Content {
        var body = BodyReader(exchange, limit: Int64(limit), budget: dashboard.bodies)
        let bytes = try await body.collect()
        guard let type = ContentType(exchange.header(.contentType)), type.isForm || type.isJSON else {
            throw .unsupportedMediaType(accepted: "application/json, application/x-www-form-urlencoded")
        }
        return try await bytes.read { (bytes) throws(Problem) in
            type.isForm ? .form(try FormFields(body: bytes)) : .json(try JSONValue(body: bytes))
        }
    }
}
