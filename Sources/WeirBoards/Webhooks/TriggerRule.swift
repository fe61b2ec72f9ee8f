package import Foundation
package import WeirOperations
package import WeirStates

/// A trigger of an operation's file: external requests to `POST hooks/OPERATION/NAME` that start it.
///
/// | form | authenticated by | repeated requests share |
/// |---|---|---|
/// | `github` | `X-Hub-Signature-256` over the body | the signature, as the id is not signed |
/// | `standard` | `webhook-signature` over id, time and body | the id, and the time within five minutes |
/// | `bearer` | `Authorization: Bearer SECRET`, or `X-Gitlab-Token` | `Idempotency-Key`, if it is sent |
package struct TriggerRule: Sendable, Hashable {
    package enum Form: String, Sendable, Hashable, CaseIterable {
        case github, standard, bearer
    }

    /// A condition that the value at a path equals one of several texts.
    package struct Filter: Sendable, Hashable {
        /// A path below `body` or `header`.
        package let path: ValuePath
        let values: [String]

        package init(path: ValuePath, values: [String]) {
            self.path = path
            self.values = values
        }
    }

    package struct Input: Sendable, Hashable {
        let name: String
        /// A template with paths below `body` or `header`.
        package let value: PathTemplate
        /// Whether the value can be a list of scalars.
        let takesList: Bool

        package init(name: String, value: PathTemplate, takesList: Bool = false) {
            self.name = name
            self.value = value
            self.takesList = takesList
        }
    }

    package let operation: String
    package let name: String
    package let form: Form
    /// The name of the stored secret.
    package let secret: String
    /// The conditions; all of them apply.
    let filters: [Filter]
    let inputs: [Input]

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

    package var id: String { "\(operation)/\(name)" }
    /// The URL path below the mount path.
    package var path: String { "hooks/\(id)" }
    package var actor: String { "hook \(id)" }

    package func decide(_ request: TriggerRequest) -> TriggerDecision {
        // GitHub sends a ping when the webhook is created.
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
        var mistakes: [InputMistake] = []
        for entry in inputs {
            do throws(TriggerRequest.Unusable) {
                input[entry.name] = try self.input(entry, of: request)
            } catch {
                mistakes.append(InputMistake(field: entry.name, message: error.message))
            }
        }
        return mistakes.isEmpty ? .start(input) : .refused(InputMistakes(mistakes))
    }

    /// The value of an input: a scalar that stands alone keeps its type.
    private func input(
        _ entry: Input, of request: TriggerRequest
    ) throws(TriggerRequest.Unusable) -> JSONValue? {
        let template = entry.value
        if let path = template.single { return try request.value(at: path, orList: entry.takesList) }
        var texts: [ValuePath: String] = [:]
        for path in template.paths { texts[path] = try request.insertion(at: path) }
        return template.filled { texts[$0] }.map(JSONValue.string)
    }
}

/// The response to an authenticated request.
package enum TriggerDecision: Sendable, Hashable {
    /// Start a run with these inputs; texts are not yet converted to the fields' types.
    case start([String: JSONValue])
    /// The request is one that starts a run, but inputs cannot be made of it.
    case refused(InputMistakes)
    case ignored(String)
    /// The sender tests the address.
    case ping
}

package struct TriggerRequest: Sendable {
    /// The header fields by lowercase name.
    let headers: [String: String]
    /// The signed bytes.
    let content: Data
    /// The parsed content; null if it is empty.
    package let body: JSONValue

    package init(headers: [String: String], content: Data, body: JSONValue) {
        self.headers = headers
        self.content = content
        self.body = body
    }

    /// The maximum difference between the signed time and the receiver's clock, in seconds.
    static let tolerance: Int64 = 300

    /// Authenticates the sender; `now` is in seconds since 1970.
    ///
    /// Returns the key that identifies a repeated request, or nil if it has none. Throws ``Unproven``, whose reason
    /// belongs in the log, not in the response.
    package func proof(_ form: TriggerRule.Form, secret: String, now: Int64) throws(Unproven) -> String? {
        switch form {
        case .github:
            guard let sent = headers[WebhookSignature.header.lowercased()] else { throw .missing }
            guard WebhookSignature.isGitHub(sent, of: content, secret: secret) else { throw .wrong }
            return sent.lowercased()
        case .standard:
            guard let id = headers["webhook-id"], let timestamp = headers["webhook-timestamp"],
                let signature = headers["webhook-signature"], (1...255).contains(id.utf8.count)
            else { throw .missing }
            let isOwn = WebhookSignature.isStandard(
                signature, id: id, timestamp: timestamp, body: content, secret: secret)
            guard isOwn else { throw .wrong }
            guard let time = Int64(timestamp), (now - Self.tolerance...now + Self.tolerance).contains(time) else {
                throw .late
            }
            return id
        case .bearer:
            let authorization = headers["authorization"].flatMap { sent in
                sent.lowercased().hasPrefix("bearer ") ? String(sent.dropFirst(7)) : nil
            }
            guard let sent = authorization ?? headers["x-gitlab-token"] else { throw .missing }
            guard WebhookSignature.isSame(sent, secret) else { throw .wrong }
            return headers["idempotency-key"].flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
        }
    }

    package enum Unproven: String, Error {
        case missing, wrong, late
    }

    /// The scalar at a path below `body` or `header`; nil for anything else.
    func scalar(at path: ValuePath) -> JSONValue? {
        guard let below = path.below else { return nil }
        guard path.root == "body" else {
            return headers[below.description.lowercased()].map(JSONValue.string)
        }
        switch below.value(in: body) {
        case .string(let text): return .string(text)
        case .integer(let number): return .integer(number)
        case .number(let number): return .number(number)
        case .bool(let flag): return .bool(flag)
        case .null, .array, .object, nil: return nil
        }
    }

    /// The value of an input at a path; nil for null, and for a member or header that was not sent.
    ///
    /// Throws if the path leads into a scalar, to no element of a list, or to an object or an unwanted list.
    fileprivate func value(at path: ValuePath, orList takesList: Bool = false) throws(Unusable) -> JSONValue? {
        guard path.root == "body", let below = path.below else { return scalar(at: path) }
        var value = body
        for name in below.names {
            switch value {
            case .null: return nil
            case .object(let members):
                guard let member = members[name] else { return nil }
                value = member
            default:
                guard let element = Int(name).flatMap({ value.element(at: $0) }) else {
                    throw Unusable(Message(InputWording.pathNowhere, ["path": "\(path)"]))
                }
                value = element
            }
        }
        switch value {
        case .null: return nil
        case .array(let values) where takesList && values.allSatisfy { $0.exactText != nil }: return value
        case .array, .object:
            throw Unusable(
                Message(InputWording.pathKind, ["path": "\(path)", "given": InputField.kind(of: value)]))
        case .string, .integer, .number, .bool: return value
        }
    }

    /// The text of an input's part; empty for a member or header that was not sent.
    fileprivate func insertion(at path: ValuePath) throws(Unusable) -> String {
        try value(at: path)?.exactText ?? ""
    }

    /// The reason why an input cannot be made of a request.
    fileprivate struct Unusable: Error {
        let message: Message

        init(_ message: Message) { self.message = message }
    }

    func text(at path: ValuePath) -> String? {
        switch scalar(at: path) {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object, nil: nil
        }
    }
}

package struct TriggerRecord: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case started
        /// It repeated an earlier request, and started nothing.
        case repeated
        /// A filter did not match.
        case ignored
        case ping
        case refused
        /// The sender was not authenticated. Such requests are counted in one record.
        case unproven
    }

    package let trigger: String
    /// When the request arrived, in milliseconds since 1970.
    package let at: Int64
    package let outcome: Outcome
    package let run: String?
    package let detail: String?
    package let count: Int64

    package init(
        trigger: String, at: Int64, _ outcome: Outcome, run: String? = nil, detail: String? = nil, count: Int64 = 1
    ) {
        self.trigger = trigger
        self.at = at
        self.outcome = outcome
        self.run = run
        self.detail = detail
        self.count = count
    }

    package var json: JSONValue {
        [
            "at": .integer(at), "outcome": .string(outcome.rawValue), "run": run.map(JSONValue.string) ?? .null,
            "detail": detail.map(JSONValue.string) ?? .null, "count": .integer(count),
        ]
    }
}
