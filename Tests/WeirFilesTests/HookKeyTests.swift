import Testing
@testable import WeirBoards

@testable import WeirFiles

struct HookKeyTests {
    private let head = """
        title: Deploy
        inputs: [{name: branch, required: true}]
        command: [echo, "{{branch}}"]

        """

    private func mistakes(_ text: String) -> [String] {
        DefinitionReader.read(head + text, id: "deploy", file: "deploy.yml").1.map(\.detail)
    }

    @Test func `a file's triggers and notifications are read`() throws {
        let text = """
            triggers:
              - name: push
                secret: github
                only: {header.X-GitHub-Event: push, body.ref: [refs/heads/main, refs/heads/next]}
                inputs: {branch: "{{body.ref}}"}
            notify:
              - when: [failed, recovered]
                webhook: {url: "{{secrets.slack}}", body: slack, headers: {X-Team: "{{secrets.team}}"}, signed_with: key}
              - when: [succeeded, slow]
                command: [mail, -s, "Done: {{title}}", --, "{{actor}}"]
            """
        let (definition, mistakes) = DefinitionReader.read(head + text, id: "deploy", file: "deploy.yml")
        #expect(mistakes.isEmpty)
        let trigger = try #require(definition?.triggers.first)
        #expect(trigger.path == "hooks/deploy/push")
        #expect(trigger.form == .github)
        #expect(trigger.filters.map(\.values) == [["push"], ["refs/heads/main", "refs/heads/next"]])
        let rules = try #require(definition?.notifications)
        #expect(rules.map(\.name) == ["1", "2"])
        #expect(rules.first?.events == [.failed, .recovered])
        #expect(rules.first?.secrets == ["slack", "team", "key"])
        #expect(rules.last?.events == [.succeeded, .slow])
        #expect(rules.last?.place == "mail")
    }

    @Test func `no rules are something else than no word about rules`() throws {
        #expect(DefinitionReader.read(head, id: "deploy", file: "f").0?.notifications == nil)
        #expect(DefinitionReader.read(head + "notify: []", id: "deploy", file: "f").0?.notifications == [])
    }

    @Test func `a trigger's mistakes say what to write instead`() {
        #expect(
            mistakes("triggers: [{name: push, secret: s, inputs: {brunch: \"{{body.ref}}\"}}]") == [
                "A run cannot start without “branch”. Write where its value is, such as branch: \"{{body.branch}}\".",
                "There is no input “brunch”. Did you mean `branch`?",
            ])
        #expect(
            mistakes("triggers: [{name: push, secret: s, inputs: {branch: \"{{boy.ref}}\"}}]") == [
                "“{{boy.ref}}” is not a path in a request. Write a path such as {{body.ref}} or {{header.X-GitHub-Event}}."
            ])
        #expect(
            mistakes("triggers: [{name: push, secret: s, only: {ref: main}, inputs: {branch: x}}]") == [
                "“ref” is not a path in a request. Write a path such as body.ref or header.X-GitHub-Event."
            ])
        #expect(mistakes("triggers: [{name: push, inputs: {branch: x}}]").count == 1)
    }

    @Test func `a notification's mistakes say what to write instead`() {
        #expect(mistakes("notify: [{when: [failed]}]").first?.hasPrefix("A notification has one of `webhook`") == true)
        #expect(
            mistakes("notify: [{when: [failed], webhook: {url: \"https://x.example/{{branch}}\"}}]") == [
                "“{{branch}}” cannot stand here, but {{secrets.NAME}} can, for a secret that `weir secret set NAME` keeps."
            ])
        #expect(
            mistakes("notify: [{when: [failed], webhook: {url: ftp://x.example/}}]") == [
                "A webhook’s address begins with http:// or https://."
            ])
        for (url, words) in [
            ("http://127.0.0.1:70000/", "a port that does not exist"), ("https://[::]]/", "This is not a URL"),
            ("https://x.example:0/{{secrets.slack}}", "a port that does not exist"),
            ("https://ana:x@x.example/", "a user name or password"),
        ] {
            let found = mistakes("notify: [{when: [failed], webhook: {url: \"\(url)\"}}]")
            #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
        }
        #expect(
            mistakes("notify: [{when: [failed], command: [mail, \"{{massage}}\"]}]") == [
                "A notification has no “massage”. Did you mean {{message}}?"
            ])
        #expect(
            mistakes("notify: [{when: [failed], command: [mail, \"{{message}}\"]}]").first?.contains("hyphen") == true)
        #expect(mistakes("notify: [{when: [failed], command: [mail, --, \"{{message}}\"]}]").isEmpty)
        #expect(
            mistakes("notify: [{when: [failed], command: []}]") == [
                "The command is empty. Begin with the program, such as [mail-the-team, \"{{headline}}\"]."
            ])
        #expect(mistakes("notify: [{when: [filed], command: [mail]}]").count == 1)
        #expect(
            mistakes("notify: [{when: [failed], webhook: {url: http://x.example/, headers: {Host: y}}}]").count == 1)
    }

    @Test func `the settings' file has rules for all operations`() {
        let read = StandardNotifications.read(
            "port: 1\nnotify:\n  - when: [failed]\n    webhook: {url: http://ntfy.example/ops, body: ntfy}\n",
            file: "weir.yml")
        #expect(read.mistakes.isEmpty)
        #expect(read.rules.map(\.place) == ["ntfy: ntfy.example"])
        let wrong = StandardNotifications.read("notify:\n  - when: failed\n", file: "weir.yml")
        #expect(wrong.rules.isEmpty)
        #expect(wrong.mistakes.first?.line == 2)
    }

    @Test func `digests and reports are rules of the settings that send e-mail at a time`() {
        func mistakes(_ rule: String) -> [String] {
            StandardNotifications.read("notify:\n  - {\(rule)}", file: "weir.yml").mistakes.map(\.detail)
        }
        let read = StandardNotifications.read(
            "notify:\n- {digest: 07:00, email: [a@b.example]}\n- {report: monday 8:00, email: [a@b.example]}\n"
                + "- {digest: \"19:00\", send_empty: true, email: [a@b.example]}",
            file: "weir.yml")
        #expect(read.mistakes.isEmpty)
        #expect(read.rules.map(\.period?.kind) == [.digest, .report, .digest])
        #expect(read.rules.map(\.period?.sendsEmpty) == [false, true, true])
        #expect(mistakes("digest: noon, email: [a@b.example]").first?.contains("such as \"07:00\"") == true)
        #expect(mistakes("report: someday 8:00, email: [a@b.example]").first?.contains("such as monday 08:00") == true)
        #expect(mistakes("digest: \"07:00\", command: [mail]").first?.contains("is sent by e-mail") == true)
        #expect(
            mistakes("digest: \"07:00\", when: [failed], email: [a@b.example]").first?.contains("has one of `when`")
                == true)
        #expect(mistakes("email: [a@b.example]").first?.contains("has one of `when`") == true)
        #expect(mistakes("when: [digest], email: [a@b.example]").count == 1)
        #expect(
            mistakes("report: mon 8:00, send_empty: true, email: [a@b.example]") == [
                "`send_empty` is for a `digest`. Remove it."
            ])
        let own = "notify:\n- {digest: 07:00, email: [a@b.example]}"
        #expect(
            DefinitionReader.read(head + own, id: "deploy", file: "deploy.yml").1.first?.detail
                .contains("under `notify` in weir.yml") == true)
    }

    @Test func `e-mail goes to plain addresses, and only chats and incidents have a receiver within the service`()
        throws
    {
        let text = """
            notify:
              - {when: [failed], email: [ops@example.com, team@example.com, ops@example.com]}
              - when: [failed]
                webhook: {url: "https://api.telegram.org/bot{{secrets.bot}}/sendMessage", body: telegram, to: "-100123"}
              - when: [failed]
                webhook: {url: "https://events.pagerduty.com/v2/enqueue", body: pagerduty, to: "{{secrets.pager}}"}
            """
        let (definition, none) = DefinitionReader.read(head + text, id: "deploy", file: "deploy.yml")
        #expect(none.isEmpty)
        let rules = try #require(definition?.notifications)
        #expect(rules.map(\.place).first == "E-mail: ops@example.com, team@example.com")
        #expect(rules.map(\.secrets) == [[], ["bot"], ["pager"]])
        #expect(
            mistakes("notify: [{when: [failed], email: [\"Ops <ops@example.com>\"]}]") == [
                "“Ops <ops@example.com>” is no e-mail address. Write one such as ops@example.com, in ASCII and without a name."
            ])
        #expect(
            mistakes("notify: [{when: [failed], email: []}]") == [
                "`email` is empty. Write the addresses, such as [ops@example.com]."
            ])
        #expect(
            mistakes("notify: [{when: [failed], webhook: {url: \"https://x.example/\", body: telegram}}]") == [
                "`to` is missing for telegram: the id of the chat, such as \"-1001234567890\"."
            ])
        #expect(
            mistakes("notify: [{when: [failed], webhook: {url: \"https://x.example/\", body: slack, to: x}}]") == [
                "`to` has no meaning for slack. It is for telegram and pagerduty; remove it."
            ])
        #expect(
            mistakes("notify: [{when: [server], command: [x]}]") == [
                "`server` is about the server, not about this operation. Write the rule under `notify` in weir.yml."
            ])
        #expect(
            StandardNotifications.read("notify: [{when: [server], command: [x]}]", file: "weir.yml").mistakes.isEmpty)
    }
}
