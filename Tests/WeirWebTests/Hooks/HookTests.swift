import Foundation
import NIOConcurrencyHelpers
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Requests from outside that start an operation.
@Suite(.timeLimit(.minutes(15)))
struct HookTests {
    private static let secret = "It's a Secret to Everybody"

    private func path(_ text: String) throws -> ValuePath { try #require(ValuePath(text)) }

    private func hooks(
        _ form: TriggerRule.Form = .github, perMinute: Int = 60, remembers: Bool = true
    ) throws -> (KnownHooks, WebConfiguration) {
        let hooks = KnownHooks(
            [
                TriggerRule(
                    operation: "steps", name: "push", form: form, secret: "git",
                    filters: [.init(path: try path("body.ref"), values: ["refs/heads/main"])],
                    inputs: [
                        .init(name: "label", value: try PathTemplate("{{body.head.id}}")),
                        .init(name: "last", value: try PathTemplate("{{body.last}}")),
                    ]),
                TriggerRule(operation: "steps", name: "bare", form: form, secret: "none"),
            ],
            notifications: [
                NotificationRule(name: "1", events: [.failed], channel: .command([try PathTemplate("mail")]))
            ], secrets: ["git": Self.secret], remembers: remembers)
        var configuration = WebConfiguration()
        configuration.hooks = hooks
        configuration.hookRequestsPerMinute = perMinute
        return (hooks, configuration)
    }

    private func signed(_ body: String, _ more: [String] = [], secret: String = secret) -> [String] {
        [
            "Content-Type: application/json",
            "X-Hub-Signature-256: \(WebhookSignature.github(Data(body.utf8), secret: secret))",
        ]
            + more
    }

    private func body(_ id: String, last: JSONValue = 0, ref: String = "refs/heads/main") throws -> String {
        try JSONValue.object(["ref": .string(ref), "head": ["id": .string(id)], "last": last]).text()
    }

    @Test func `a signed request starts a run with the inputs of its body, in the name of the trigger`() async throws {
        let (hooks, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let body = try body("abc", last: "0")
            let answer = try await server.ask("POST", "/hooks/steps/push", headers: signed(body), body: body)
            #expect(answer.status == 202)
            let run = try #require(try answer.json()["run"]?.string)
            #expect(answer.headers["location"] == "/runs/\(run)")
            let record = try await server.board.run(run)
            #expect(record.opening.actor == "hook steps/push")
            #expect(record.opening.input["label"] == "abc")
            #expect(record.opening.input["last"] == 0)
            // The input is text.
            let number = try JSONValue.object(["ref": "refs/heads/main", "head": ["id": 17]]).text()
            let second = try await server.ask("POST", "/hooks/steps/push", headers: signed(number), body: number)
            let other = try await server.board.run(try #require(try second.json()["run"]?.string))
            #expect(other.opening.input["label"] == "17")
            #expect(hooks.records.withLockedValue { $0.map(\.outcome) } == [.started, .started])
            #expect(hooks.records.withLockedValue { $0.first?.run } == run)
        }
    }

    @Test func `a request that comes again is answered with its run, and starts nothing`() async throws {
        let (hooks, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let body = try body("abc")
            let first = try await server.ask(
                "POST", "/hooks/steps/push", headers: signed(body, ["X-GitHub-Delivery: 1"]), body: body)
            // What is not signed can be anybody's.
            let again = try await server.ask(
                "POST", "/hooks/steps/push", headers: signed(body, ["X-GitHub-Delivery: 2"]), body: body)
            #expect(again.status == 202)
            #expect(try again.json()["run"] == first.json()["run"])
            #expect(try again.json()["repeated"] == true)
            #expect(try await server.board.runs(.init()).runs.count == 1)
            #expect(hooks.records.withLockedValue { $0.map(\.outcome) } == [.started, .repeated])
        }
    }

    @Test func `of requests that arrive together, one starts the run and the others are repeated`() async throws {
        let (hooks, configuration) = try hooks(remembers: false)
        try await TestServer.run(configuration: configuration) { server in
            let body = try body("abc")
            var answers: [JSONValue] = []
            for _ in 0..<3 {
                answers.append(
                    try await server.ask("POST", "/hooks/steps/push", headers: signed(body), body: body).json())
            }
            #expect(answers.map { $0["repeated"] } == [false, true, true])
            #expect(Set(answers.map { $0["run"] }).count == 1)
            #expect(hooks.records.withLockedValue { $0.map(\.outcome) } == [.started, .repeated, .repeated])
        }
    }

    @Test func `an unsigned or wrongly signed request does nothing, and is told nothing`() async throws {
        let (hooks, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let body = try body("abc")
            let wrong = [
                ("/hooks/steps/push", []), ("/hooks/steps/push", signed(body, secret: "other")),
                ("/hooks/steps/push", signed(body + " ")),
                ("/hooks/steps/push", ["Authorization: Bearer \(Self.secret)"]),
                ("/hooks/steps/bare", signed(body, secret: "")), ("/hooks/steps/none", signed(body)),
                ("/hooks/nothing/push", signed(body)),
            ]
            var texts: Set<String> = []
            for (path, headers) in wrong {
                let answer = try await server.ask("POST", path, headers: headers, body: body)
                #expect(answer.status == 401, "\(path) \(headers)")
                texts.insert(answer.text.replacing(path, with: "PATH"))
            }
            // Whether there is such a trigger is nobody's business.
            #expect(texts.count == 1)
            #expect(try await server.board.runs(.init()).runs.isEmpty)
            #expect(hooks.records.withLockedValue { $0.allSatisfy { $0.outcome == .unproven } })
            #expect(hooks.records.withLockedValue { $0.count } == 5)
        }
    }

    @Test func `a request about something else, and GitHub's ping, start nothing and are answered well`() async throws {
        let (hooks, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let other = try body("abc", ref: "refs/heads/next")
            let ignored = try await server.ask("POST", "/hooks/steps/push", headers: signed(other), body: other)
            #expect(ignored.status == 200)
            #expect(try ignored.json()["ignored"] == true)
            let zen = #"{"zen":"Design for failure."}"#
            let ping = try await server.ask(
                "POST", "/hooks/steps/push", headers: signed(zen, ["X-GitHub-Event: ping"]), body: zen)
            #expect(ping.status == 200)
            #expect(hooks.records.withLockedValue { $0.map(\.outcome) } == [.ignored, .ping])
            #expect(try await server.board.runs(.init()).runs.isEmpty)
        }
    }

    @Test func `an input that does not fit is refused in words, and the next request can do better`() async throws {
        let (hooks, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let bad = try body("abc", last: "many")
            let answer = try await server.ask("POST", "/hooks/steps/push", headers: signed(bad), body: bad)
            #expect(answer.status == 422)
            #expect(hooks.records.withLockedValue { $0.last?.outcome } == .refused)
            #expect(hooks.records.withLockedValue { $0.last?.detail?.contains("last") } == true)
            let list = try body("abc", last: [1])
            let kind = try await server.ask("POST", "/hooks/steps/push", headers: signed(list), body: list)
            #expect(kind.status == 422)
            #expect(kind.text.contains("body.last of the request is a list"))
            #expect(hooks.records.withLockedValue { $0.last?.detail?.contains("last: body.last") } == true)
            let malformed = "{"
            let broken = try await server.ask("POST", "/hooks/steps/push", headers: signed(malformed), body: malformed)
            #expect(broken.status == 400)
        }
    }

    @Test func `a form with JSON in it is read as GitHub sends it by default`() async throws {
        let (_, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let body = "payload=" + PercentEncoding.encode(try body("abc"))
            var headers = signed(body)
            headers[0] = "Content-Type: application/x-www-form-urlencoded"
            let answer = try await server.ask("POST", "/hooks/steps/push", headers: headers, body: body)
            #expect(answer.status == 202)
        }
    }

    @Test func `a bearer of the secret starts a run, and its key is known again`() async throws {
        let (_, configuration) = try hooks(.bearer)
        try await TestServer.run(configuration: configuration) { server in
            let headers = [
                "Authorization: Bearer \(Self.secret)", "Content-Type: application/json", "Idempotency-Key: k",
            ]
            let body = try body("abc")
            let first = try await server.ask("POST", "/hooks/steps/push", headers: headers, body: body)
            let again = try await server.ask("POST", "/hooks/steps/push", headers: headers, body: body)
            #expect(first.status == 202)
            #expect(try again.json()["run"] == first.json()["run"])
        }
    }

    @Test func `a trigger starts so many runs a minute, and wrong signatures take nothing of that`() async throws {
        let (_, configuration) = try hooks(perMinute: 2)
        try await TestServer.run(configuration: configuration) { server in
            for _ in 0..<5 { _ = try await server.ask("POST", "/hooks/steps/push", body: "{}") }
            var statuses: [Int] = []
            for number in 0..<3 {
                let body = try body("\(number)")
                let answer = try await server.ask("POST", "/hooks/steps/push", headers: signed(body), body: body)
                statuses.append(answer.status)
            }
            #expect(statuses == [202, 202, 429])
        }
    }

    @Test func `triggers are for administrators, on pages too, and a link to a run shows nobody who is told of it`()
        async throws
    {
        let (_, configuration) = try hooks()
        let known = KnownNames()
        try await TestServer.run(configuration: configuration, access: known.access) { server in
            let run = try await server.start().run
            known.run.value = run
            func page(_ path: String, _ name: String) async throws -> String {
                try await server.ask("GET", path, headers: ["X-Test: \(name)", "Accept: text/html"]).text
            }
            #expect(try await page("/operations/steps", "ada").contains("id=\"triggers\""))
            #expect(!(try await page("/operations/steps", "otto").contains("id=\"triggers\"")))
            #expect(try await page("/runs/\(run)", "otto").contains("mail"))
            let shown = try await page("/runs/\(run)", "link")
            #expect(shown.contains(run) && !shown.contains("mail"))
            let list = "/api/v1/runs/\(run)/notifications"
            #expect(try await server.ask("GET", list, headers: ["X-Test: otto"]).status == 200)
            #expect(try await server.ask("GET", list, headers: ["X-Test: link"]).status == 404)
            let answer = try await server.ask(
                "POST", "/runs/\(run)/decision",
                headers: ["X-Test: link", "Content-Type: application/x-www-form-urlencoded"],
                body: "step=a&decision=approve")
            #expect(answer.status == 403)
        }
    }

    @Test func `a run's page says that somebody will be told before anybody is, and nothing where nobody will be`()
        async throws
    {
        let rule = NotificationRule(name: "1", events: [.failed], channel: .command([try PathTemplate("mail")]))
        for rules in [[rule], []] {
            var configuration = WebConfiguration()
            configuration.hooks = KnownHooks([], notifications: rules, delivers: false)
            try await TestServer.run(configuration: configuration) { server in
                let run = try await server.start().run
                let page = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"]).text
                #expect(page.contains("id=\"notifications\"") == !rules.isEmpty)
            }
        }
    }

    @Test func `an operation's page shows its triggers, and programs list them with the notifications`() async throws {
        let (_, configuration) = try hooks()
        try await TestServer.run(configuration: configuration) { server in
            let page = try await server.ask("GET", "/operations/steps", headers: ["Accept: text/html"])
            #expect(page.text.contains("POST /hooks/steps/push"))
            #expect(page.text.contains("weir secret set none"))
            #expect(page.text.contains("/operations/steps/notifications/test"))
            #expect(!page.text.contains(Self.secret))
            let triggers = try await server.ask("GET", "/api/v1/operations/steps/triggers").json()
            #expect(triggers["triggers"]?.array?.map { $0["ready"] } == [true, false])
            let list = try await server.ask("GET", "/api/v1/operations/steps/notifications").json()
            #expect(list["rules"] == [["name": "1", "when": ["failed"], "place": "mail"]])
            let test = try await server.ask("POST", "/api/v1/operations/steps/notifications/test")
            #expect(test.status == 202)
            #expect(try await server.ask("POST", "/api/v1/operations/keep/notifications/test").status == 409)
            let plain = try await server.ask("POST", "/operations/steps/notifications/test")
            #expect(plain.status == 303)
        }
    }

    @Test func `the system page and programs test and list what is sent about the server, also digests`() async throws {
        let period = try #require(NotificationPeriod(digest: "07:00"))
        let rule = NotificationRule(
            name: "1", events: [], channel: .command([try PathTemplate("mail")]), period: period)
        var configuration = WebConfiguration()
        configuration.hooks = KnownHooks([], notifications: [rule])
        try await TestServer.run(configuration: configuration) { server in
            let page = try await server.ask("GET", "/system", headers: ["Accept: text/html"]).text
            #expect(page.contains("action=\"/notifications/test\"") && page.contains("daily digest"))
            let list = try await server.ask("GET", "/api/v1/notifications").json()
            #expect(list["rules"] == [["name": "1", "when": ["digest"], "place": "mail"]])
            #expect(list["deliveries"]?.array?.count == 1)
            #expect(try await server.ask("POST", "/api/v1/notifications/test").status == 202)
            #expect(try await server.ask("POST", "/notifications/test").status == 303)
        }
        configuration.hooks = KnownHooks([])
        try await TestServer.run(configuration: configuration) { server in
            #expect(try await server.ask("POST", "/api/v1/notifications/test").status == 409)
            let page = try await server.ask("GET", "/system", headers: ["Accept: text/html"]).text
            #expect(!page.contains("id=\"notifications\""))
        }
    }

    @Test func `what does not exist has no notifications, whether or not there are hooks`() async throws {
        for hooks in [nil, KnownHooks([])] {
            var configuration = WebConfiguration()
            configuration.hooks = hooks
            try await TestServer.run(configuration: configuration) { server async throws in
                for path in [
                    "runs/nothere/notifications", "operations/nothere/notifications", "operations/nothere/triggers",
                ] {
                    #expect(try await server.ask("GET", "/api/v1/" + path).status == 404, "\(path)")
                }
            }
        }
    }
}
