import Foundation
import Testing
import WeirOperations
import WeirStates

@testable import WeirBoards

struct TriggerTests {
    private let body = Data("Hello, World!".utf8)
    private let secret = "It's a Secret to Everybody"

    /// The example of GitHub's own documentation.
    private let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    private func request(_ headers: [String: String], _ content: Data? = nil) -> TriggerRequest {
        TriggerRequest(headers: headers, content: content ?? body, body: .null)
    }

    @Test func `GitHub's example of a signature is right, and what differs in anything is wrong`() throws {
        #expect(WebhookSignature.github(body, secret: secret) == signature)
        let right = request(["x-hub-signature-256": signature])
        #expect(try right.proof(.github, secret: secret, now: 0) == signature)
        #expect(throws: TriggerRequest.Unproven.wrong) { try right.proof(.github, secret: secret + "x", now: 0) }
        #expect(throws: TriggerRequest.Unproven.missing) { try request([:]).proof(.github, secret: secret, now: 0) }
        for wrong in ["", "sha256=", "sha256=zz", "sha1=" + signature, String(signature.dropLast()), signature + "00"] {
            #expect(throws: TriggerRequest.Unproven.wrong) {
                try request(["x-hub-signature-256": wrong]).proof(.github, secret: secret, now: 0)
            }
        }
        #expect(throws: TriggerRequest.Unproven.wrong) {
            try request(["x-hub-signature-256": signature], Data("Hello, World?".utf8))
                .proof(.github, secret: secret, now: 0)
        }
    }

    @Test func `the example of Standard Webhooks is right for five minutes`() throws {
        let sent = request(
            [
                "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
                "webhook-signature": "v1,bm9uZQ== v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ], Data(#"{"test": 2432232314}"#.utf8))
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        #expect(try sent.proof(.standard, secret: secret, now: 1_614_265_330) == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(try sent.proof(.standard, secret: secret, now: 1_614_265_630) != nil)
        #expect(throws: TriggerRequest.Unproven.late) {
            try sent.proof(.standard, secret: secret, now: 1_614_265_631)
        }
        #expect(throws: TriggerRequest.Unproven.wrong) {
            try sent.proof(.standard, secret: "whsec_AAAA", now: 1_614_265_330)
        }
    }

    @Test func `a bearer is known by the secret alone, and a request again by its key`() throws {
        let sent = request(["authorization": "Bearer abc", "idempotency-key": "k"])
        #expect(try sent.proof(.bearer, secret: "abc", now: 0) == "k")
        #expect(
            try request(["x-gitlab-token": "abc", "idempotency-key": "k"]).proof(.bearer, secret: "abc", now: 0) == "k")
        #expect(throws: TriggerRequest.Unproven.wrong) {
            try request(["x-gitlab-token": "ab"]).proof(.bearer, secret: "abc", now: 0)
        }
        #expect(try request(["authorization": "bearer abc"]).proof(.bearer, secret: "abc", now: 0) == nil)
        for wrong in ["Bearer abcd", "Bearer ab", "Bearer ", "Bearer ABC"] {
            #expect(throws: TriggerRequest.Unproven.wrong) {
                try request(["authorization": wrong]).proof(.bearer, secret: "abc", now: 0)
            }
        }
        #expect(throws: TriggerRequest.Unproven.missing) {
            try request(["authorization": "Basic abc"]).proof(.bearer, secret: "abc", now: 0)
        }
    }

    private func path(_ text: String) throws -> ValuePath { try #require(ValuePath(text)) }

    @Test func `inputs are made of places in the body and the header`() throws {
        let rule = TriggerRule(
            operation: "deploy", name: "push", form: .github, secret: "s",
            filters: [
                .init(path: try path("header.X-GitHub-Event"), values: ["push"]),
                .init(path: try path("body.ref"), values: ["refs/heads/main", "refs/heads/next"]),
            ],
            inputs: [
                .init(name: "count", value: try PathTemplate("{{body.commits.1.n}}")),
                .init(name: "text", value: try PathTemplate("{{ body.ref }} by {{body.none}}{{header.x-who}}")),
                .init(name: "none", value: try PathTemplate("{{body.none.at.all}}")),
            ])
        let body: JSONValue = ["ref": "refs/heads/main", "commits": [["n": 1], ["n": 2]]]
        func decide(_ headers: [String: String], _ body: JSONValue) -> TriggerDecision {
            rule.decide(TriggerRequest(headers: headers, content: Data(), body: body))
        }
        let headers = ["x-github-event": "push", "x-who": "{{body.ref}}"]
        // A value is not looked at again, whatever it holds.
        #expect(decide(headers, body) == .start(["count": 2, "text": "refs/heads/main by {{body.ref}}"]))
        #expect(
            decide(headers, ["ref": "refs/tags/1"])
                == .ignored(
                    "body.ref is “refs/tags/1”, and only “refs/heads/main” or “refs/heads/next” starts a run."))
        #expect(decide(["x-github-event": "ping"], body) == .ping)
        guard case .ignored = decide([:], body) else {
            Issue.record("A request without the header that is asked for started a run.")
            return
        }
    }

    @Test func `a body of which an input cannot be made is refused with the path and the kind of what is there`()
        throws
    {
        let body: JSONValue = [
            "commits": [["id": "a"]], "ref": "main", "gone": nil,
            "whole": 9_007_199_254_740_993, "half": 0.5,
        ]
        func decide(_ template: String) throws -> TriggerDecision {
            let rule = TriggerRule(
                operation: "deploy", name: "push", form: .github, secret: "s",
                inputs: [.init(name: "id", value: try PathTemplate(template))])
            return rule.decide(TriggerRequest(headers: [:], content: Data(), body: body))
        }
        for (template, input) in [
            ("{{body.commits.0.id}}", ["id": "a"]), ("{{body.gone}}", [:]), ("{{body.gone.id}}", [:]),
            ("{{body.other}}", [:]), ("{{header.x-other}}", [:]), ("x{{body.other}}", ["id": "x"]),
            ("n{{body.whole}} {{body.half}}", ["id": "n9007199254740993 0.5"]),
            ("{{body.whole}}", ["id": 9_007_199_254_740_993]),
        ] as [(String, [String: JSONValue])] {
            #expect(try decide(template) == .start(input))
        }
        let nowhere = "Correct the path in the operation's file, or what is sent."
        let kinds = "Give the path of text, of a number, or of true or false."
        for (template, detail) in [
            ("{{body.commits.1.id}}", "The request has nothing at body.commits.1.id. \(nowhere)"),
            ("x{{body.commits.id}}", "The request has nothing at body.commits.id. \(nowhere)"),
            ("{{body.ref.name}}", "The request has nothing at body.ref.name. \(nowhere)"),
            ("{{body.commits}}", "body.commits of the request is a list. \(kinds)"),
            ("x{{body.commits.0}}", "body.commits.0 of the request is an object. \(kinds)"),
        ] {
            guard case .refused(let mistakes) = try decide(template) else {
                Issue.record("\(template) started a run.")
                continue
            }
            #expect(mistakes.description == "id: \(detail)")
        }
    }

    @Test func `a path leads through members and elements, and nowhere else`() throws {
        let value: JSONValue = ["a": ["b", ["c": 3]]]
        #expect(try path("a.1.c").value(in: value) == 3)
        for missing in ["a.2", "a.-1", "a.b", "a.1.c.d", "b", "a.99999999999999999999"] {
            #expect(try path(missing).value(in: value) == nil)
        }
        for malformed in [
            "", ".", "a.", ".a", "a b", "a[0]", "ä", Array(repeating: "a", count: 21).joined(separator: "."),
        ] {
            #expect(ValuePath(malformed) == nil)
        }
    }

    @Test func `four braces stand for two`() throws {
        let template = try PathTemplate("{{{{a}} {{body.ref}}}}")
        #expect(template.filled { _ in "x" } == "{{a}} x}}")
        #expect(throws: PathTemplate.Mistake.self) { try PathTemplate("{{body.ref") }
    }
}
