import Foundation
import Testing
import WeirJournals
import WeirStates

@testable import WeirBoards

/// What each receiver is sent, held against what its maker documents.
struct NotificationFormatTests {
    private func facts(_ message: String? = "It ended with exit code 1.") -> NotificationFacts {
        NotificationFacts(
            delivery: "r-1", event: .failed, operation: "backup", title: "Back up <!channel> & *all*", run: "r",
            url: "https://weir.example/runs/r?a=1&b=2", phase: .failed, state: "failed", message: message,
            actor: "Ana", input: ["database": "orders"], startedAt: 0, endedAt: 61_000)
    }

    private func json(_ format: NotificationFormat, _ facts: NotificationFacts, to: String = "") throws -> JSONValue {
        let message = try format.message(facts, to: to)
        #expect(message.headers["Content-Type"] == "application/json")
        return try JSONValue(parsing: Data(message.body.utf8))
    }

    @Test func `the generic body has everything that is known`() throws {
        let body = try json(.generic, facts())
        #expect(body["delivery"] == "r-1")
        #expect(body["event"] == "failed")
        #expect(body["operation"] == ["id": "backup", "title": "Back up <!channel> & *all*"])
        #expect(body["run"]?["id"] == "r")
        #expect(body["run"]?["message"] == "It ended with exit code 1.")
        #expect(body["run"]?["input"] == ["database": "orders"])
        #expect(body["run"]?["startedAt"] == 0)
    }

    @Test func `a run that is slow is a warning everywhere, and has not ended`() throws {
        var slow = facts(nil)
        (slow.event, slow.phase, slow.state, slow.title) = (.slow, .active, "copying", "Back up")
        let generic = try json(.generic, slow)
        #expect(generic["event"] == "slow" && generic["text"] == "Back up takes longer than usual")
        #expect(generic["run"]?["phase"] == "active" && generic["run"]?["endedAt"] == .null)
        #expect(generic["at"] == 61_000)
        let blocks = try json(.slack, slow)["blocks"]?.array
        #expect(blocks?.first?["text"]?["text"] == ":warning: Back up takes longer than usual")
        let card = try json(.teams, slow)["attachments"]?.array?.first?["content"]
        #expect(card?["body"]?.array?.first?["color"] == "Warning")
        let ntfy = try NotificationFormat.ntfy.message(slow)
        #expect(ntfy.headers["Tags"] == "warning" && ntfy.headers["Priority"] == "4")
        #expect(ntfy.body == "Started by Ana · 1 min 1 s")
    }

    @Test func `nothing in a text calls a channel of Slack, and everything stays within its limits`() throws {
        for message in ["<!everyone> <https://evil.example|click> &", String(repeating: "ü<", count: 10_000), nil] {
            let body = try json(.slack, facts(message))
            let text = try #require(body["text"]?.string)
            #expect(!text.contains("<"))
            #expect(text.hasPrefix("Back up &lt;!channel&gt; &amp; *all* failed"))
            let blocks = try #require(body["blocks"]?.array)
            #expect(blocks.count == (message == nil ? 2 : 3))
            #expect(blocks.first?["type"] == "header")
            #expect(blocks.first?["text"]?["type"] == "plain_text")
            #expect(try #require(blocks.first?["text"]?["text"]?.string).count <= 150)
            for block in blocks where block["type"] == "section" {
                #expect(block["text"]?["type"] == "plain_text")
                #expect(try #require(block["text"]?["text"]?.string).count <= 3_000)
            }
            let note = try #require(blocks.last?["elements"]?.array?.first?["text"]?.string)
            #expect(note == "Started by Ana · 1 min 1 s · <https://weir.example/runs/r?a=1&amp;b=2|Open the run>")
        }
    }

    @Test func `texts are cut in the unit of their receiver, also one that is a single character`() throws {
        for message in ["e" + String(repeating: "\u{301}", count: 120_000), String(repeating: "👨‍👩‍👧", count: 2_800)] {
            var facts = facts(message)
            (facts.title, facts.output) = (message, [message])
            let blocks = try #require(try json(.slack, facts)["blocks"]?.array)
            for (block, limit) in zip(blocks, [150, 3_000, 3_000]) {
                let text = try #require(block["text"]?["text"]?.string)
                #expect((limit - 101...limit).contains(text.utf16.count) && text.hasSuffix("…"))
            }
            let ntfy = try NotificationFormat.ntfy.message(facts)
            #expect((3_900...4_096).contains(ntfy.body.utf8.count))
            #expect(try NotificationFormat.teams.message(facts).body.utf8.count < 28_000)
        }
        #expect("a&b".cut(to: 3, .utf16) == "a&b")
        #expect("a&bc".cut(to: 3, .utf16) == "a&…")
        #expect("a&b".cut(to: 6, .utf16) { $0 == "&" ? "&amp;" : nil } == "a…")
    }

    @Test func `Teams gets a message with one adaptive card whose texts have no Markdown of strangers`() throws {
        let body = try json(
            .teams, facts("[click](https://evil.example) **now**" + String(repeating: "x", count: 50_000)))
        #expect(body["type"] == "message")
        let attachment = try #require(body["attachments"]?.array?.first)
        #expect(attachment["contentType"] == "application/vnd.microsoft.card.adaptive")
        #expect(attachment["contentUrl"] == .null)
        let card = try #require(attachment["content"])
        #expect(card["type"] == "AdaptiveCard")
        #expect(card["version"] == "1.4")
        let texts = try #require(card["body"]?.array)
        #expect(texts.allSatisfy { $0["type"] == "TextBlock" && $0["wrap"] == true })
        #expect(texts.first?["text"] == #"Back up <!channel\> & \*all\* failed"#)
        #expect(
            texts.dropFirst().first?["text"]?.string?.hasPrefix(#"\[click\]\(https://evil.example\) \*\*now\*\*"#)
                == true)
        #expect(
            card["actions"] == [
                ["type": "Action.OpenUrl", "title": "Open the run", "url": "https://weir.example/runs/r?a=1&b=2"]
            ])
        #expect(
            try NotificationFormat.teams.message(facts(String(repeating: "ü", count: 50_000))).body.utf8.count < 28_000)
    }

    @Test func `ntfy gets a text within its limit, and header fields that are ASCII`() throws {
        var facts = facts(String(repeating: "ü", count: 10_000))
        facts.title = "Cópia\r\nX-Evil: 1"
        let message = try NotificationFormat.ntfy.message(facts)
        #expect(message.body.utf8.count <= 4_096)
        #expect(message.headers["Priority"] == "4")
        #expect(message.headers["Tags"] == "x")
        #expect(message.headers["Click"] == "https://weir.example/runs/r?a=1&b=2")
        let title = try #require(message.headers["Title"])
        #expect(title.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        let encoded = try #require(Data(base64Encoded: String(title.dropFirst("=?UTF-8?B?".count).dropLast(2))))
        #expect(String(decoding: encoded, as: UTF8.self) == "Cópia\r\nX-Evil: 1 failed")
    }

    @Test func `Telegram gets a plain text within its limit, with the last lines and the link`() throws {
        var facts = facts(String(repeating: "🚰*", count: 5_000))
        facts.output = ["line 1", "<b>line</b> 2"]
        let body = try json(.telegram, facts, to: "-100123")
        #expect(body["chat_id"] == "-100123")
        #expect(body["parse_mode"] == nil && body["link_preview_options"] == ["is_disabled": true])
        let text = try #require(body["text"]?.string)
        #expect(text.utf16.count <= 4_096)
        #expect(
            text.hasPrefix("❌ Back up <!channel> & *all* failed")
                && text.hasSuffix("https://weir.example/runs/r?a=1&b=2"))
        #expect(text.contains("line 1\n<b>line</b> 2"))
    }

    @Test func `Discord gets an embed within its limits that mentions nobody and ends no block early`() throws {
        var facts = facts("@everyone [click](https://evil.example) " + String(repeating: "x", count: 9_000))
        facts.output = ["```", "@here"]
        let body = try json(.discord, facts)
        #expect(body["allowed_mentions"] == ["parse": []])
        let embed = try #require(body["embeds"]?.array?.first)
        #expect(try #require(embed["title"]?.string).count <= 256)
        #expect(embed["url"] == "https://weir.example/runs/r?a=1&b=2")
        let description = try #require(embed["description"]?.string)
        #expect(description.count <= 4_096)
        #expect(description.hasPrefix(#"\@everyone \[click\]\(https\:"#))
        #expect(description.components(separatedBy: "```").count == 3)
    }

    @Test func `an incident of PagerDuty is opened by a failure and resolved by the recovery`() throws {
        var facts = facts()
        facts.output = ["disk full"]
        let failed = try json(.pagerduty, facts, to: "key")
        facts.event = .recovered
        let recovered = try json(.pagerduty, facts, to: "key")
        #expect(failed["routing_key"] == "key" && failed["event_action"] == "trigger")
        #expect(recovered["event_action"] == "resolve" && recovered["dedup_key"] == failed["dedup_key"])
        #expect(failed["dedup_key"] == "weir.example/backup")
        let payload = try #require(failed["payload"])
        #expect(payload["severity"] == "error" && payload["source"] == "weir.example")
        #expect(payload["timestamp"] == "1970-01-01T00:01:01.000Z")
        #expect(payload["custom_details"]?["output"] == "disk full")
        facts.event = .slow
        #expect(try json(.pagerduty, facts, to: "key")["dedup_key"] != failed["dedup_key"])
    }

    @Test func `an alert of Alertmanager has the same labels when it is resolved`() throws {
        var facts = facts()
        let failed = try #require(try json(.alertmanager, facts).array?.first)
        facts.event = .recovered
        let recovered = try #require(try json(.alertmanager, facts).array?.first)
        #expect(failed["labels"] == recovered["labels"])
        #expect(failed["labels"]?["alertname"] == "WeirRunFailed" && failed["labels"]?["severity"] == "critical")
        #expect(failed["startsAt"] == "1970-01-01T00:01:01.000Z" && failed["endsAt"] == "1970-01-02T00:01:01.000Z")
        #expect(recovered["startsAt"] == nil && recovered["endsAt"] == "1970-01-01T00:01:01.000Z")
        #expect(failed["annotations"]?["description"] == "It ended with exit code 1.")
    }

    @Test(arguments: ServerCondition.Kind.allCases)
    func `every receiver learns that a condition of the server began and ended`(_ kind: ServerCondition.Kind) throws {
        var condition = ServerCondition(kind, of: "x", since: Timestamp(milliseconds: 0), sentence: "It is so.")
        let rule = NotificationRule(name: "1", events: [.server], channel: .command([]))
        for isOver in [false, true] {
            condition.isOver = isOver
            let facts = condition.facts(
                by: rule, server: "Weir at x", url: "https://x/system", at: Timestamp(milliseconds: 60_000))
            for format in NotificationFormat.allCases {
                let message = try format.message(facts, to: "k")
                #expect((message.body + message.headers.values.joined()).contains("Weir at x \(condition.words)"))
            }
            let body = try json(.pagerduty, facts)
            #expect(
                body["event_action"] == (isOver ? "resolve" : "trigger") && body["dedup_key"]?.string == "x/\(kind) x")
        }
    }

    @Test func `a test says that it is one`() throws {
        let test = NotificationFacts(
            delivery: "test-1", event: nil, operation: "backup", title: "Back up", actor: "Ana", endedAt: 0)
        for format in NotificationFormat.allCases {
            let message = try format.message(test)
            #expect((message.body + message.headers.values.joined()).contains("A test message of Back up"))
        }
    }

    @Test func `what people see of where a message goes has no secret`() throws {
        func place(_ url: String) throws -> String {
            let webhook = NotificationRule.Webhook(url: try PathTemplate(url), body: .slack)
            return NotificationRule(name: "1", events: [.failed], channel: .webhook(webhook)).place
        }
        #expect(try place("{{secrets.slack}}") == "Slack: secrets.slack")
        #expect(try place("https://hooks.example/T0/B0/{{secrets.token}}") == "Slack: secrets.token")
        #expect(try place("https://ntfy.example/weir-topic") == "Slack: ntfy.example")
    }

    @Test func `attempts are five seconds to half an hour apart, six in all, and later if the receiver asks`() {
        #expect(RetryPlan.attempts == 6)
        #expect(
            (0...7).map { RetryPlan.wait(afterAttempts: $0) } == [
                nil, 5_000, 30_000, 120_000, 600_000, 1_800_000, nil, nil,
            ])
        #expect(RetryPlan.wait(afterAttempts: 1, asked: 60_000) == 60_000)
        #expect(RetryPlan.wait(afterAttempts: 1, asked: .max) == 3_600_000)
    }
}
