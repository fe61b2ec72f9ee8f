import Testing
import WeirFlows
import WeirOperations
import WeirStandard
import WeirStates

@testable import WeirFiles

/// Files that declare requests and feeds.
@Suite(.timeLimit(.minutes(15))) struct RequestFileTests {
    private func read(_ text: String) -> (definition: OperationDefinition?, mistakes: [FileMistake]) {
        DefinitionReader.read(text, id: "purge", file: "purge.yml")
    }

    private func request(_ text: String) throws -> DeclaredRequest {
        let (definition, mistakes) = read(text)
        #expect(mistakes == [])
        guard case .request(let request) = definition?.program else {
            throw Unexpected(text: "no request")
        }
        return request
    }

    private struct Unexpected: Error { let text: String }

    @Test func `an input becomes a part of the path, whatever it holds`() throws {
        let request = try request(
            """
            title: Purge
            type: http
            inputs: [{name: zone}]
            request: {url: "https://example.com/zones/{{zone}}/purge"}
            """)
        let hostile = "a/../../b?x=1#y&z=%2e\r\nHost: evil \u{1F600}"
        let input = CommandInput(["zone": .string(hostile)])
        let url = request.url.filled { PercentEncoding.encode(input.text($0) ?? "") }
        let encoded = "a%2F..%2F..%2Fb%3Fx%3D1%23y%26z%3D%252e%0D%0AHost%3A%20evil%20%F0%9F%98%80"
        #expect(url == "https://example.com/zones/\(encoded)/purge")
        for dots in [".", ".."] {
            #expect(throws: OperationFailure.self) {
                try request.outgoing(CommandInput(["zone": .string(dots)]), labels: [:], environment: .init())
            }
        }
    }

    @Test func `an input in JSON is one string, or keeps its type where it stands alone`() throws {
        let request = try request(
            """
            title: Purge
            type: http
            inputs: [{name: text}, {name: count, type: integer}, {name: none}]
            request:
              method: POST
              url: https://example.com/
              json: {files: ["a {{text}}"], count: "{{count}}", none: "{{none}}", all: true, version: "1", size: 2, code: [0123, +351]}
            """)
        guard case .json(let template) = request.body else { throw Unexpected(text: "no JSON") }
        let hostile = #"", "admin": true, "x": ""#
        let filled = template.filled(CommandInput(["text": .string(hostile), "count": 7]))
        let expected: JSONValue = [
            "files": [.string("a " + hostile)], "count": 7, "none": .null, "all": true, "version": "1", "size": 2,
            "code": ["0123", "+351"],
        ]
        #expect(filled == expected)
        #expect(try JSONValue(parsing: filled.text()) == expected)
    }

    @Test func `a header field with a line break is refused in words`() throws {
        let request = try request(
            """
            title: Purge
            type: http
            inputs: [{name: token, type: secret, label: Key}]
            request: {url: "https://example.com/", headers: {Authorization: "Bearer {{token}}"}}
            """)
        let error = #expect(throws: OperationFailure.self) {
            try request.outgoing(
                CommandInput(["token": "a\r\nX-Admin: 1"]), labels: ["token": "Key"], environment: .init())
        }
        #expect(error?.description.contains("“Key” holds a line break") == true)
    }

    @Test(arguments: [
        ("type: http", "There is nothing to send."),
        ("{type: http, request: {url: \"ftp://example.com/\"}}", "cannot be requested. Use http or https."),
        (
            "{type: http, inputs: [{name: host}], request: {url: \"https://{{host}}/\"}}",
            "Scheme and host of a URL cannot hold a field."
        ),
        (
            "{type: http, inputs: [{name: key, type: secret}], request: {url: \"https://example.com/{{key}}\"}}",
            "cannot stand in a URL"
        ),
        (
            "{type: http, inputs: [{name: a}], request: {method: POST, url: \"https://e.com/\", body: '{\"a\": \"{{a}}\"}'}}",
            "Write the body under `json` instead."
        ),
        ("{type: http, request: {url: \"https://e.com/\", headers: {Host: x}}}", "is set by Weir itself"),
        (
            "{type: http, request: {url: \"https://e.com/\", headers: {\"X Key\": x}}}",
            "“X Key” cannot be the name of a header field."
        ),
        ("{type: http, request: {url: \"https://e.com/\"}, command: [ls]}", "`command` has no meaning"),
        ("{type: http, request: {url: \"https://e.com/\", json: {}}}", "A GET request has no body."),
        ("{type: feed}", "There is nothing to poll."),
        ("{type: feed, url: \"https://e.com/\", every: 100ms}", "every"),
        ("{type: feed, url: \"https://e.com/\", values: {lat: a..b}}", "A path is made of names"),
        ("{type: feed, url: \"https://e.com/\", values: {\"a b\": c}}", "“a b” cannot be the name of a value"),
        (
            "{type: feed, url: \"https://e.com/\", values: {latitude: a}, show: \"{{lattitude}}\"}",
            "Did you mean {{latitude}}?"
        ),
        ("{command: [ls], url: \"https://e.com/\"}", "Write `type: feed`, or remove it."),
    ])
    func `a mistake is told with what would be right`(text: String, words: String) {
        let whole = text.hasPrefix("{") ? "{title: T, \(text.dropFirst())" : "title: T\n\(text)"
        let (definition, mistakes) = read(whole)
        #expect(definition == nil)
        #expect(mistakes.contains { $0.detail.contains(words) }, "\(mistakes)")
    }

    @Test func `values are read by their paths, and what is no scalar is missing`() throws {
        let answer: JSONValue = ["position": ["latitude": "12.5", "list": [1, ["name": "x"]]], "ok": true]
        let values = [
            ("lat", "position.latitude"), ("name", "position.list.1.name"), ("ok", "ok"), ("no", "position"),
            ("gone", "a.9"),
        ]
        .compactMap { DeclaredValue($0.0, path: $0.1) }
        let read = values.read(from: answer)
        #expect(read.values == ["lat": "12.5", "name": "x", "ok": true])
        #expect(read.missing == ["position", "a.9"])
    }

    @Test func `what the page of a failed request says names its inputs, beside a secret one too`() async throws {
        let (definition, mistakes) = read(
            """
            title: Purge
            type: http
            inputs: [{name: zone}, {name: token, type: secret}]
            request: {url: "http://127.0.0.1:9/{{zone}}", headers: {Authorization: "Bearer {{token}}"}}
            failed: {show: "{{zone}} was not purged."}
            """)
        #expect(mistakes == [])
        // By itself it reaches nothing on this machine, and no connection is made.
        let declared = try #require(definition)
        let operation = try #require(RequestOperation(declared, in: OperationEnvironment()))
        let run = try OperationRunner(operation).start(CommandInput(["zone": "eu", "token": "x"]))
        _ = await run.outcome()
        guard case .failed(let problem) = run.state.value else { throw Unexpected(text: "\(run.state.value)") }
        #expect(problem.message.hasPrefix("eu was not purged. "))
    }

    @Test func `a feed is polled each minute while watched, unless its file says otherwise`() throws {
        let (definition, mistakes) = read("{title: T, type: feed, url: \"https://example.com/\"}")
        #expect(mistakes == [] && definition?.pollsAlways == false)
        guard case .feed(let feed) = definition?.program else { throw Unexpected(text: "no feed") }
        #expect(feed.every == .seconds(60))
        #expect(read("{title: T, type: feed, url: \"https://e.com/\", while: always}").definition?.pollsAlways == true)
    }
}
