import Foundation
import Testing
import TestSupport
@testable import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirFiles

/// Messages of how runs ended, to a real receiver on this machine.
@Suite(.timeLimit(.minutes(15)))
struct NotifierTests {
    @Test func `a receiver is told of a run that failed, by a signed request that has an id`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, signedWith: "key")])
        try await fixture.run()
        let run = try await fixture.run(failing: "The disk is full.")
        let delivery = try await fixture.delivery { $0.status == .delivered }
        #expect(receiver.requests.value.count == 1)
        let request = try #require(receiver.requests.value.first)
        #expect(request.headers["x-weir-delivery"] == "\(run)-1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["x-team"] == "a very secret key")
        let signature = try #require(request.headers["x-hub-signature-256"])
        #expect(WebhookSignature.isGitHub(signature, of: Data(request.body.utf8), secret: "a very secret key"))
        let body = try JSONValue(parsing: Data(request.body.utf8))
        #expect(body["event"] == "failed")
        #expect(body["run"]?["message"] == "The disk is full.")
        #expect(body["url"]?.string == "https://weir.example/runs/\(run)")
        #expect(delivery.attempts == 1)
        #expect(try await fixture.store.deliveries(ofRun: run) == [delivery])
        await fixture.stop()
    }

    @Test func `a message is sent again with the same id and the same body until it arrives`() async throws {
        let receiver = try await Receiver { $0 < 3 ? "503 Service Unavailable" : "200 OK" }
        let fixture = try await Fixture([try .webhook(receiver.url)])
        try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.status == .delivered }
        #expect(delivery.attempts == 3)
        #expect(receiver.requests.value.count == 3)
        #expect(Set(receiver.requests.value.map { $0.headers["x-weir-delivery"] }).count == 1)
        #expect(Set(receiver.requests.value.map(\.body)).count == 1)
        #expect(fixture.clock.now.offset >= .seconds(35))
        await fixture.stop()
    }

    @Test func `a message is sent six times at most`() async throws {
        let receiver = try await Receiver { _ in "500 Internal Server Error" }
        let fixture = try await Fixture([try .webhook(receiver.url)])
        try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.status == .failed }
        #expect(delivery.attempts == 6)
        #expect(delivery.detail == "The receiver answered 500: no")
        #expect(receiver.requests.value.count == 6)
        await fixture.stop()
    }

    @Test func `what a receiver refuses for good, and a redirect, are not sent again`() async throws {
        for status in ["404 Not Found", "302 Found\r\nLocation: http://127.0.0.1:1/"] {
            let receiver = try await Receiver { _ in status }
            let fixture = try await Fixture([try .webhook(receiver.url)])
            try await fixture.run(failing: "No.")
            let delivery = try await fixture.delivery { $0.status == .failed }
            #expect(delivery.attempts == 1)
            #expect(receiver.requests.value.count == 1)
            await fixture.stop()
        }
    }

    @Test func `an end that was recorded before the server was killed is told once when it is back`() async throws {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url)]
        let journal = MemoryJournal(epoch: "testepoch0001")
        let before = try await Fixture(rules, journal: journal)
        try await before.run(failing: "Before.")
        _ = try await before.delivery { $0.status == .delivered }
        await before.stop()
        // Nobody is left who would tell of this one.
        let run = try await before.run(failing: "Between.")
        await before.board.shutdown()
        for _ in 0..<2 {
            let after = try await Fixture(rules, journal: journal, store: before.store)
            let delivery = try await after.delivery { $0.facts.run == run && $0.status == .delivered }
            #expect(delivery.attempts == 1)
            await after.stop()
            await after.board.shutdown()
        }
        #expect(receiver.requests.value.count == 2)
        #expect(receiver.requests.value.last?.headers["x-weir-delivery"] == "\(run)-1")
    }

    @Test func `an end that cannot be read is told of once it can be, though nothing else happens`() async throws {
        let receiver = try await Receiver()
        let journal = RefusingJournal()
        let rules = [try NotificationRule.webhook(receiver.url, [.succeeded])]
        let before = try await Fixture(rules, journal: journal)
        try await before.run()
        _ = try await before.delivery { $0.status == .delivered }
        await before.stop()
        let run = try await before.run()
        await before.board.shutdown()
        journal.refuse(true)
        // The output of this run is not in memory.
        let after = try await Fixture(rules, journal: journal, store: before.store)
        try await until {
            journal.refused >= 3
        } otherwise: {
            after.clock.advance(by: .seconds(5))
        }
        journal.refuse(false)
        let delivery = try await after.delivery { $0.facts.run == run && $0.status == .delivered }
        #expect(delivery.attempts == 1)
        await after.stop()
        await after.board.shutdown()
    }

    @Test func `an attempt that the server did not survive is counted, and made again with the same id`() async throws {
        let receiver = try await Receiver()
        let rule = try NotificationRule.webhook(receiver.url)
        let store = try DeliveryStore(path: nil)
        var delivery = message(by: rule, nextAt: 0)
        delivery.attempts = 1
        try await store.add([delivery])
        let fixture = try await Fixture([rule], store: store)
        let sent = try await fixture.delivery { $0.status == .delivered }
        #expect(sent.attempts == 2)
        #expect(receiver.requests.value.map { $0.headers["x-weir-delivery"] } == ["x-1"])
        await fixture.stop()
    }

    private func message(by rule: NotificationRule, nextAt: Int64) -> DeliveryRecord {
        DeliveryRecord(
            facts: NotificationFacts(
                delivery: "x-1", event: .failed, operation: "job", title: "A job", actor: "Ana", endedAt: 0),
            rule: rule, nextAt: nextAt)
    }

    @Test func `a message that waits for its next attempt is sent as soon as the time for it has come`() async throws {
        let receiver = try await Receiver()
        let rule = try NotificationRule.webhook(receiver.url)
        let store = try DeliveryStore(path: nil)
        try await store.add([message(by: rule, nextAt: 60_000)])
        let fixture = try await Fixture([rule], store: store)
        // One sleeps until the message is due, and one until old messages are removed, in a day.
        await fixture.clock.sleepers(2)
        #expect(receiver.requests.value.isEmpty)
        fixture.clock.advance(by: .seconds(60))
        try #require(fixture.clock.sleepers.value == 1, "the message waits on, though it is due")
        try await until { receiver.requests.value.count == 1 }
        await fixture.stop()
    }

    @Test func `old messages are removed, which is looked for every day`() async throws {
        let rule = try NotificationRule.webhook("http://127.0.0.1:1/")
        let store = try DeliveryStore(path: nil)
        var delivered = message(by: rule, nextAt: 0)
        delivered.status = .delivered
        try await store.add([delivered])
        let fixture = try await Fixture([rule], store: store)
        func pass(days: Int) async {
            for _ in 0..<days {
                await fixture.clock.sleepers(1)
                fixture.clock.advance(by: .seconds(86_400))
            }
            await fixture.clock.sleepers(1)
        }
        await pass(days: 90)
        #expect(try await store.deliveries(of: "job", limit: 10).count == 1)
        await pass(days: 2)
        #expect(try await store.deliveries(of: "job", limit: 10).isEmpty)
        await fixture.stop()
        await fixture.board.shutdown()
    }

    @Test func `the end of a run that was removed meanwhile is passed over, and those behind it are told of`()
        async throws
    {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url)]
        let journal = RefusingJournal()
        let before = try await Fixture(rules, journal: journal)
        await before.stop()
        let removed = try await before.run(failing: "Removed.")
        let kept = try await before.run(failing: "Kept.")
        await before.board.shutdown()
        journal.remove(removed)
        // What is not in memory any more is read from the journal, first the changes and then the run of each.
        var configuration = Board.Configuration()
        configuration.tailLimit = 1
        let after = try await Fixture(rules, journal: journal, store: before.store, configuration: configuration)
        _ = try await after.delivery { $0.facts.run == kept && $0.status == .delivered }
        #expect(receiver.requests.value.map { $0.headers["x-weir-delivery"] } == ["\(kept)-1"])
        await after.stop()
    }

    @Test func `a success after a failure is a recovery, and one after a success is not`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.recovered])])
        try await fixture.run()
        try await fixture.run(failing: "No.")
        let run = try await fixture.run()
        try await fixture.run()
        let delivery = try await fixture.delivery { $0.status == .delivered }
        #expect(delivery.facts.run == run)
        #expect(delivery.facts.event == .recovered)
        await fixture.stop()
        #expect(receiver.requests.value.count == 1)
    }

    @Test(arguments: [NotificationFormat.alertmanager, .generic])
    func `a failure that arrives late opens no incident again`(format: NotificationFormat) async throws {
        let receiver = try await Receiver { $0 == 1 ? "503 Service Unavailable" : "200 OK" }
        let fixture = try await Fixture([try .webhook(receiver.url, [.failed, .recovered], format: format)])
        let failed = try await fixture.run(failing: "No.")
        try await until { receiver.requests.value.count == 1 }
        fixture.clock.advance(by: .seconds(1))
        try await fixture.run()
        try await until { receiver.requests.value.count == 2 }
        let late = try await fixture.delivery { $0.facts.run == failed && $0.status != .waiting }
        await fixture.stop()
        #expect(late.status == (format == .generic ? .delivered : .failed))
        #expect(receiver.requests.value.count == (format == .generic ? 3 : 2))
        #expect(fixture.notifier.conditions.isEmpty)
    }

    @Test func `an address that is a secret is in no record`() async throws {
        let fixture = try await Fixture([try .webhook("http://127.0.0.1:1/{{secrets.path}}", signedWith: "key")])
        try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.detail != nil }
        #expect(delivery.detail?.isEmpty == false)
        let text = String(decoding: try JSONEncoder().encode(delivery), as: UTF8.self)
        for secret in Fixture.secrets.values {
            #expect(!text.contains(secret.replacing("/", with: "\\/")) && !text.contains(secret))
        }
        await fixture.stop()
    }

    @Test func `an address that the receiver repeats is not kept with its answer`() async throws {
        let listener = try await RequestListener { request in
            let url = "http://\(request.headers["host"] ?? "")\(request.path)"
            return RequestListener.http("400 Bad Request", "Nothing is at \(url)")
        }
        let fixture = try await Fixture([try .webhook("\(listener.url)/hooks/T0000-B0000")])
        try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.status == .failed }
        #expect(delivery.detail == "The receiver answered 400: Nothing is at •••")
        await fixture.stop()
    }

    @Test func `a secret that is missing is named, and the message waits`() async throws {
        let fixture = try await Fixture([try .webhook("{{secrets.slack}}")])
        try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.detail != nil }
        #expect(delivery.detail == "There is no secret “slack”. Set it with: weir secret set slack")
        await fixture.stop()
    }

    @Test func `a command gets each value as one argument, and the facts on standard input`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "said").path
        let script = #"printf '%s\n' "$#" "$2" "$WEIR_EVENT" > "$1"; cat >> "$1""#
        let rule = NotificationRule(
            name: "1", events: [.failed],
            channel: .command(
                try ["/bin/sh", "-c", script, "x", file, "Message: {{message}}"].map { try PathTemplate($0) }))
        let fixture = try await Fixture([rule])
        let hostile = "$(touch /tmp/x) 'a' \"b\" ; rm -rf {{title}}"
        try await fixture.run(failing: hostile)
        let delivery = try await fixture.delivery { $0.status == .delivered || $0.attempts > 1 }
        #expect(delivery.detail == "The program ended well.")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n", maxSplits: 3)
        #expect(lines.prefix(3) == ["2", "Message: \(hostile)", "failed"])
        #expect(try JSONValue(parsing: Data((lines.last ?? "").utf8))["event"] == "failed")
        await fixture.stop()
    }

    @Test func `no text of a run prevents the start of a command that tells of its failure`() async throws {
        let rule = NotificationRule(
            name: "1", events: [.failed],
            channel: .command(try ["/bin/sh", "-c", "exit 0", "x", "{{message}}"].map { try PathTemplate($0) }))
        let store = try DeliveryStore(path: nil)
        var told = message(by: rule, nextAt: 0)
        told.facts.message = "e\u{0}" + String(repeating: "\u{301}", count: 120_000)
        try await store.add([told])
        let fixture = try await Fixture([rule], store: store)
        let delivery = try await fixture.delivery { $0.detail != nil }
        #expect(delivery.detail == "The program ended well.")
        await fixture.stop()
    }

    @Test func `a command that fails is run again, and its last words are kept`() async throws {
        let rule = NotificationRule(
            name: "1", events: [.failed],
            channel: .command(try ["/bin/sh", "-c", "echo no mail >&2; exit 3"].map { try PathTemplate($0) }))
        let fixture = try await Fixture([rule])
        try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.attempts > 1 && $0.detail != nil }
        #expect(delivery.detail == "The program ended with exit code 3: no mail")
        await fixture.stop()
    }

    @Test func `the message about a cancelled run says who cancelled it`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.cancelled])])
        let run = try await fixture.begin()
        _ = try await fixture.board.cancel(run, actor: "Ana")
        await fixture.open(run)
        let delivery = try await fixture.delivery { $0.status == .delivered }
        #expect(delivery.facts.message == "Cancelled by Ana.")
        await fixture.stop()
    }

    @Test func `a test is sent by each rule, whatever it tells of`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.cancelled])])
        let sent = try await fixture.notifier.test("job", actor: "Ana")
        #expect(sent.count == 1)
        let delivery = try await fixture.delivery { $0.status == .delivered }
        #expect(delivery.id == sent.first?.id)
        #expect(delivery.facts.run == nil)
        let body = try JSONValue(parsing: Data((receiver.requests.value.first?.body ?? "").utf8))
        #expect(body["event"] == "test")
        await fixture.stop()
    }

    @Test func `an operation's own rules stand in place of those of the settings`() throws {
        var plan = HookPlan()
        plan.standard = [try .webhook("http://a.example/")]
        plan.notifications = ["quiet": []]
        plan.exempt = ["watched"]
        #expect(plan.rules(of: "other").count == 1)
        #expect(plan.rules(of: "quiet").isEmpty)
        #expect(plan.rules(of: "watched").isEmpty)
    }
}
