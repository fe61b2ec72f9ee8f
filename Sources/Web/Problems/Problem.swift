import Boards
import HTTPTypes
import Operations
import States

/// What went wrong with a request, for its sender: a problem document (RFC 9457), or a page with the same contents.
struct Problem: Error, Sendable {
    /// The kind, for programs: `urn:weir:problem:` and a name.
    var kind: String
    /// The HTTP status.
    var status: HTTPResponse.Status
    /// The kind in a few words; the same for every problem of the kind.
    var title: String
    /// What happened this time and what to do about it.
    var detail: String
    /// The mistakes of each field.
    var errors: [InputMistake] = []
    /// Header fields that belong to the answer, such as `Allow`.
    var headers: HTTPFields = [:]
    /// Whether the rest of the request is not worth reading.
    var closes = false

    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ detail: String,
        errors: [InputMistake] = [], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.kind = kind
        self.status = status
        self.title = title
        self.detail = detail
        self.errors = errors
        self.headers = headers
        self.closes = closes
    }

    /// The document, as JSON.
    ///
    /// `instance` is the path that was asked for.
    func document(instance: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": .string("urn:weir:problem:" + kind), "title": .string(title),
            "status": .integer(Int64(status.code)), "detail": .string(detail), "instance": .string(instance),
        ]
        if !errors.isEmpty {
            members["errors"] = .array(
                errors.map { ["field": .string($0.field), "detail": .string($0.detail)] })
        }
        return .object(members)
    }
}
