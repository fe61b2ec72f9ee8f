import HTTPTypes
import WeirAccess

/// A method of a resource, as the description of the API shows it.
struct APIMethod: Sendable {
    let method: HTTPRequest.Method
    /// The name of the method's function in generated clients.
    let name: String
    let summary: String
    var parameters: [APIParameter] = []
    var body: APIBody?
    var audit: AuditAction?
    let answers: [APIAnswer]
    /// The statuses of problems besides those of every method.
    var problems: [Int] = []

    static func get(
        _ name: String, _ summary: String, _ parameters: APIParameter..., audit: AuditAction? = nil,
        problems: [Int] = [], answers: APIAnswer...
    ) -> APIMethod {
        APIMethod(
            method: .get, name: name, summary: summary, parameters: parameters, audit: audit, answers: answers,
            problems: problems)
    }

    static func change(
        _ method: HTTPRequest.Method = .post, _ name: String, _ summary: String, _ parameters: APIParameter...,
        body: APIBody? = nil, audit: AuditAction? = nil, problems: [Int] = [], answers: APIAnswer...
    ) -> APIMethod {
        APIMethod(
            method: method, name: name, summary: summary, parameters: parameters, body: body, audit: audit,
            answers: answers, problems: problems)
    }
}

struct APIParameter: Sendable {
    enum Place: String, Sendable { case query, header, path }

    let place: Place
    let name: String
    let text: String
    let schema: APISchema
    var isRequired = false

    static func query(_ name: String, _ schema: APISchema, _ text: String, required: Bool = false) -> APIParameter {
        APIParameter(place: .query, name: name, text: text, schema: schema, isRequired: required)
    }

    static func header(_ name: String, _ schema: APISchema, _ text: String, required: Bool = false) -> APIParameter {
        APIParameter(place: .header, name: name, text: text, schema: schema, isRequired: required)
    }
}

/// The body of a request: its schema for each media type.
struct APIBody: Sendable {
    let contents: [(type: String, schema: APISchema)]
    var isRequired = true

    static func json(_ schema: APISchema, required: Bool = true) -> APIBody {
        APIBody(contents: [("application/json", schema)], isRequired: required)
    }

    /// JSON, or a form with the same fields.
    static func fields(_ schema: APISchema, required: Bool = true) -> APIBody {
        APIBody(
            contents: [("application/json", schema), ("application/x-www-form-urlencoded", schema)],
            isRequired: required)
    }
}

/// A response of a method that is not a problem.
struct APIAnswer: Sendable {
    let status: Int
    let text: String
    var contents: [(type: String, schema: APISchema)] = []
    var headers: [String] = []

    static func json(_ status: Int, _ schema: APISchema, _ text: String, headers: String...) -> APIAnswer {
        APIAnswer(status: status, text: text, contents: [("application/json", schema)], headers: headers)
    }

    static func empty(_ status: Int, _ text: String, headers: String...) -> APIAnswer {
        APIAnswer(status: status, text: text, headers: headers)
    }

    static func of(_ status: Int, _ types: String..., text: String, headers: String...) -> APIAnswer {
        APIAnswer(
            status: status, text: text,
            contents: types.map { ($0, $0.hasSuffix("json") ? .anything : .text) }, headers: headers)
    }
}
