import HTTPTypes
import WeirOperations
import WeirStates

/// What went wrong with a request, for its sender: a problem document (RFC 9457), or a page with the same contents.
struct Problem: Error, Sendable {
    /// The kind, for programs: `urn:weir:problem:` and a name.
    var kind: String
    /// The HTTP status.
    var status: HTTPResponse.Status
    /// The kind in a few words; the same for every problem of the kind.
    var title: String
    /// What happened this time and what to do about it.
    let message: Message
    /// The mistakes of each field.
    var errors: [InputMistake] = []
    /// Header fields that belong to the answer, such as `Allow`.
    var headers: HTTPFields = [:]
    /// Whether the rest of the request is not worth reading.
    var closes = false

    /// What happened this time and what to do about it, in English.
    var detail: String { message.description }

    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ message: Message,
        errors: [InputMistake] = [], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.kind = kind
        self.status = status
        self.title = title
        self.message = message
        self.errors = errors
        self.headers = headers
        self.closes = closes
    }

    /// A problem that browsers meet too, so that it is told in the reader's language.
    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ wording: ProblemWording,
        _ values: [String: Message.Value] = [:], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.init(kind, status, title, Message(wording, values), headers: headers, closes: closes)
    }

    /// A problem that only programs meet, which are told in English.
    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ detail: String,
        errors: [InputMistake] = [], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.init(
            kind, status, title, Message(verbatim: detail), errors: errors, headers: headers, closes: closes)
    }
}
