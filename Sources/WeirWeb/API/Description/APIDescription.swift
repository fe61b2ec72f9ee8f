import HTTPTypes
import WeirAccess
import WeirStates

/// The OpenAPI 3.1 description of the API, made from ``APIResource/table``.
enum APIDescription {
    /// All resources of the API, also those that exist only if senders are authenticated.
    static let resources = APIResource.table + APIResource.accounts

    static func document(mount: MountPath) -> JSONValue {
        let paths = resources.map { ("/" + $0.path, JSONValue.object(item($0))) }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Weir", "version": "1",
                "description": """
                Starts operations, follows their runs, and reads their output. A method requires the right in \
                x-weir-right. Every GET can also be sent as HEAD. Errors are problem documents (RFC 9457).
                """,
                "license": ["name": "MIT", "identifier": "MIT"],
            ],
            "servers": [["url": .string(mount.url("api/v1"))]],
            "security": [["token": []], ["session": []], [:]],
            "tags": .array(tags.map { ["name": .string($0.name), "description": .string($0.text)] }),
            "paths": .object(Dictionary(paths) { $1 }),
            "components": [
                "schemas": .object(
                    APISchema.named.merging(APISchema.namedOfAccounts) { $1 }.mapValues { .object($0.value) }),
                "responses": .object(
                    Dictionary(problems.map { ("Problem\($0.status)", problem($0.text, $0.status)) }) { $1 }),
                "headers": .object(Dictionary(headers.map { ($0.name, header($0.text, $0.schema)) }) { $1 }),
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"],
                    "session": ["type": "apiKey", "in": "cookie", "name": "weir-session"],
                ],
            ],
        ]
    }

    static let tags: [(name: String, text: String)] = [
        ("operations", "Operations and the starts of their runs."), ("runs", "Runs, their output and files."),
        ("stores", "Stores and their actions."), ("feeds", "Changes after a cursor."),
        ("streams", "Feeds and reported runs as Durable Streams."), ("schedules", "Schedules of operations."),
        ("accounts", "Users, tokens, sessions, links and the audit; only with authentication."),
        ("server", "Imports, backups and messages about the server."),
    ]

    static func tag(of resource: APIResource) -> String {
        let first = String(resource.path.prefix { $0 != "/" })
        if APIResource.accounts.contains(resource) { return "accounts" }
        return tags.contains { $0.name == first } ? first : "server"
    }

    /// The right that a resource requires, as a sentence's end.
    static func right(of resource: APIResource) -> String {
        switch resource.right {
        case .nothing: "none"
        case .anything(let verb): "\(verb.rawValue) on any operation or store"
        case .everything(let verb): "\(verb.rawValue) on everything"
        case .operation(let verb): "\(verb.rawValue) on the operation"
        case .store(let verb): "\(verb.rawValue) on the store"
        case .run(let verb): "\(verb.rawValue) on the run's operation"
        case .reporting: "report on the operation"
        case .feed: "see on the subject of the feed"
        }
    }

    private static func item(_ resource: APIResource) -> [String: JSONValue] {
        let names = resource.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
        var item: [String: JSONValue] = [:]
        if !names.isEmpty {
            item["parameters"] = .array(
                names.map { name in
                    parameter(
                        APIParameter(
                            place: .path, name: String(name), text: pathText[String(name)] ?? "",
                            schema: .text(pattern: segment), isRequired: true))
                })
        }
        for method in resource.methods {
            item[method.method.rawValue.lowercased()] = .object(operation(method, of: resource))
        }
        return item
    }

    /// The values that a segment of a path can have.
    private static let segment = #"^(?!\.{1,2}$)[^\x00-\x1f\x7f/\\]+$"#

    private static let pathText: [String: String] = [
        "operation": "The id of an operation.", "run": "The id of a run.", "store": "The id of a store.",
        "upload": "The id of an upload.", "id": "An id from the list.", "notice": "The id of a message.",
        "name": "A name from the list.",
        "feed": "board, operation-ID, run-ID or store-ID; of streams also output-RUN.",
    ]

    private static func operation(_ method: APIMethod, of resource: APIResource) -> [String: JSONValue] {
        var operation: [String: JSONValue] = [
            "operationId": .string(method.name), "summary": .string(method.summary),
            "tags": [.string(tag(of: resource))], "x-weir-right": .string(right(of: resource)),
        ]
        if !method.parameters.isEmpty { operation["parameters"] = .array(method.parameters.map(parameter)) }
        if let body = method.body {
            operation["requestBody"] = ["required": .bool(body.isRequired), "content": content(body.contents)]
        }
        var answers: [String: JSONValue] = [:]
        for answer in method.answers {
            var members: [String: JSONValue] = ["description": .string(answer.text)]
            if !answer.contents.isEmpty { members["content"] = content(answer.contents) }
            if !answer.headers.isEmpty {
                members["headers"] = .object(
                    Dictionary(answer.headers.map { ($0, ["$ref": .string("#/components/headers/" + $0)]) }) { $1 })
            }
            answers["\(answer.status)"] = .object(members)
        }
        for status in statuses(of: method) {
            answers["\(status)"] = ["$ref": .string("#/components/responses/Problem\(status)")]
        }
        operation["responses"] = .object(answers)
        return operation
    }

    /// The statuses of the problems that a method can have.
    static func statuses(of method: APIMethod) -> [Int] {
        var statuses: Set<Int> = [400, 401, 403, 404, 421, 429, 431, 500, 503]
        if ![.get, .head, .options].contains(method.method) { statuses.formUnion([408, 413, 415, 422]) }
        return statuses.union(method.problems).sorted()
    }

    static func problemText(_ status: Int) -> String { problems.first { $0.status == status }?.text ?? "" }

    private static func parameter(_ parameter: APIParameter) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
            "schema": .object(parameter.schema.value), "description": .string(parameter.text),
        ]
        if parameter.isRequired { members["required"] = true }
        return .object(members)
    }

    private static func content(_ contents: [(type: String, schema: APISchema)]) -> JSONValue {
        .object(Dictionary(contents.map { ($0.type, ["schema": .object($0.schema.value)]) }) { $1 })
    }

    private static func problem(_ text: String, _ status: Int) -> JSONValue {
        var members: [String: JSONValue] = [
            "description": .string(text),
            "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ]
        if [429, 503].contains(status) {
            members["headers"] = ["Retry-After": ["$ref": "#/components/headers/Retry-After"]]
        }
        return .object(members)
    }

    private static func header(_ text: String, _ schema: APISchema) -> JSONValue {
        ["description": .string(text), "schema": .object(schema.value)]
    }

    private static let problems: [(status: Int, text: String)] = [
        (400, "Part of the request cannot be read."), (401, "The request needs a token or a session."),
        (403, "The caller lacks the right, or a page of another site sent the request."),
        (404, "There is no such subject, or the caller may not see it."),
        (408, "The body arrived too slowly."), (409, "The state of the subject does not allow it."),
        (410, "The subject is no longer kept."), (412, "The version of the tus protocol is not served."),
        (413, "The body is too large."), (415, "The media type or the coding of the body is not served."),
        (421, "The host name is not one of this server."), (422, "The input is not valid; errors names the fields."),
        (429, "A limit is reached; nothing was done."), (431, "The header is too large."),
        (460, "The bytes do not match Upload-Checksum."), (500, "The server made a mistake."),
        (503, "The server cannot answer now."), (507, "The server's disk is almost full; nothing was done."),
    ]

    private static let headers: [(name: String, text: String, schema: APISchema)] = [
        ("Location", "The address of the result.", .text),
        ("Retry-After", "After how many seconds to send the request again.", .whole),
        ("Preference-Applied", "The preference that held the request.", .text),
        ("Content-Disposition", "The name of the file.", .text), ("ETag", "Identifies the answer.", .text),
        ("Stream-Next-Offset", "The offset of the next request.", .text),
        ("Stream-Up-To-Date", "true if nothing follows at the moment.", .oneOf(["true"])),
        ("Stream-Closed", "true if nothing will ever follow.", .oneOf(["true"])),
        ("Stream-Cursor", "The cursor of the next request.", .text),
        ("Producer-Epoch", "The epoch of the producer.", .whole),
        ("Producer-Seq", "The number of the producer's last request.", .whole),
        ("Tus-Resumable", "The version of the tus protocol.", .text),
        ("Tus-Version", "The served versions of the tus protocol.", .text),
        ("Tus-Extension", "The served extensions.", .text),
        ("Tus-Checksum-Algorithm", "The served checksums.", .text),
        ("Tus-Max-Size", "The largest file in bytes.", .whole),
        ("Upload-Offset", "The number of bytes that the upload has.", .whole),
        ("Upload-Length", "The length of the file in bytes.", .whole),
        ("Upload-Metadata", "The metadata of the upload.", .text),
        ("Upload-Expires", "When the upload is removed.", .text),
    ]
}
