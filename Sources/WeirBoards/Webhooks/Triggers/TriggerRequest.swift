package import Foundation
package import WeirStates

/// A request to a trigger: its header and its body.
package struct TriggerRequest: Sendable {
    /// The header fields, by their names in lower case.
    package let headers: [String: String]
    /// The bytes that are signed.
    package let content: Data
    /// What they say; an empty body says nothing.
    package let body: JSONValue

    package init(headers: [String: String], content: Data, body: JSONValue) {
        self.headers = headers
        self.content = content
        self.body = body
    }

    /// How far the clocks of sender and receiver may be apart, in seconds, where the time is signed.
    package static let tolerance: Int64 = 300

    /// What proves the sender, or why nothing does.
    ///
    /// - Parameters:
    ///   - form: How senders prove that they know the secret.
    ///   - secret: The secret.
    ///   - now: Seconds since 1970.
    /// - Returns: What the request is known again by; nil inside for one that cannot be.
    /// - Throws: ``Unproven``, with a reason for the log. Whoever asks is not told it.
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
            guard let sent = headers["authorization"], sent.lowercased().hasPrefix("bearer ") else { throw .missing }
            guard WebhookSignature.isSame(String(sent.dropFirst(7)), secret) else { throw .wrong }
            return headers["idempotency-key"].flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
        }
    }

    /// Why nothing proves the sender.
    package enum Unproven: String, Error {
        case missing, wrong, late
    }

    /// The number, text or truth at a path below `body` or `header`; nil for anything else.
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

    /// The same as a text.
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
