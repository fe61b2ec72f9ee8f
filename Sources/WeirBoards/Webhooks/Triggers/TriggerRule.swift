package import WeirStates

/// What an operation's file says of requests from outside that start it: `POST hooks/OPERATION/NAME`.
///
/// | form | what proves the sender | what is known again |
/// |---|---|---|
/// | `github` | `X-Hub-Signature-256` over the body | the signature, as the id is not signed |
/// | `standard` | `webhook-signature` over id, time and body | the id, and the time within five minutes |
/// | `bearer` | `Authorization: Bearer SECRET` | `Idempotency-Key`, if it is sent |
package struct TriggerRule: Sendable, Hashable {
    /// How a sender proves that it knows the secret.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case github, standard, bearer
    }

    /// A condition: the value at a path is one of these texts.
    package struct Filter: Sendable, Hashable {
        /// Below `body` or `header`.
        package let path: ValuePath
        package let values: [String]

        package init(path: ValuePath, values: [String]) {
            self.path = path
            self.values = values
        }
    }

    /// An input of the run, and what it is made of.
    package struct Input: Sendable, Hashable {
        package let name: String
        /// Its paths lie below `body` or `header`.
        package let value: PathTemplate

        package init(name: String, value: PathTemplate) {
            self.name = name
            self.value = value
        }
    }

    /// The operation that it starts.
    package let operation: String
    /// Its name among the operation's triggers.
    package let name: String
    package let form: Form
    /// The name of the kept secret.
    package let secret: String
    /// All must hold, or nothing is started.
    package let filters: [Filter]
    package let inputs: [Input]

    package init(
        operation: String, name: String, form: Form, secret: String, filters: [Filter] = [], inputs: [Input] = []
    ) {
        self.operation = operation
        self.name = name
        self.form = form
        self.secret = secret
        self.filters = filters
        self.inputs = inputs
    }

    /// What names it among all: the operation, a slash, its own name.
    package var id: String { "\(operation)/\(name)" }
    /// Its address below the mount path.
    package var path: String { "hooks/\(id)" }
    /// Who starts its runs, as they record it.
    package var actor: String { "hook \(id)" }

    /// What comes of a request whose sender is proven.
    package func decide(_ request: TriggerRequest) -> TriggerDecision {
        // GitHub sends one when the address is entered.
        if form == .github, request.headers["x-github-event"] == "ping" { return .ping }
        for filter in filters {
            let found = request.text(at: filter.path)
            guard let found, filter.values.contains(found) else {
                let wanted = filter.values.map { "“\($0)”" }.joined(separator: " or ")
                let actual = found.map { "“\($0.prefix(60))”" } ?? "not there"
                return .ignored("\(filter.path) is \(actual), and only \(wanted) starts a run.")
            }
        }
        var input: [String: JSONValue] = [:]
        for entry in inputs {
            if let path = entry.value.single {
                // A number stays one; what is there and no scalar is no input.
                input[entry.name] = request.scalar(at: path)
            } else {
                input[entry.name] = entry.value.filled { request.text(at: $0) ?? "" }.map(JSONValue.string)
            }
        }
        return .start(input)
    }
}

/// What comes of a request from outside whose sender is proven.
package enum TriggerDecision: Sendable, Hashable {
    /// A run with these inputs; a text is still to be read as the field's kind says.
    case start([String: JSONValue])
    /// Nothing, for the reason given in a sentence.
    case ignored(String)
    /// The sender only tries the address.
    case ping
}
