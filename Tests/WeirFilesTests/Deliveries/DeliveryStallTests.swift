import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStandard
import WeirStates

@testable import WeirFiles

/// Receivers that accept a message and do not end.
@Suite(.timeLimit(.minutes(15)))
struct DeliveryStallTests {
    /// A receiver that takes requests and answers nothing.
    private final class SilentReceiver: Sendable {
        private let asked = MutableStateFlow(0)
        private let listener: RequestListener

        var url: String { listener.url + "/" }
        var requests: Int { asked.value }

        init() async throws {
            listener = try await RequestListener(hangsUp: false) { [asked] _ in
                asked.mutate { $0 += 1 }
                return ""
            }
        }
    }

    private func rule(_ name: String, _ event: NotificationEvent, _ url: String) throws -> NotificationRule {
        NotificationRule(name: name, events: [event], channel: try NotificationRule.webhook(url).channel)
    }

    private func rule(
        _ name: String, _ event: NotificationEvent, running command: String
    ) throws -> NotificationRule {
        NotificationRule(
            name: name, events: [event],
            channel: .command(try ["/bin/sh", "-c", command].map { try PathTemplate($0) }))
    }

    private func deliveries(_ fixture: Fixture, _ rule: String) async throws -> [DeliveryRecord] {
        try await fixture.store.deliveries(of: "job", limit: 200).filter { $0.rule == rule }
    }

    @Test func `a message arrives while sixty wait for a receiver that does not answer`() async throws {
        let (silent, good) = (try await SilentReceiver(), try await Receiver())
        let fixture = try await Fixture([
            try rule("silent", .failed, silent.url), try rule("good", .succeeded, good.url),
        ])
        for _ in 0..<60 { try await fixture.run(failing: "No.") }
        try await until { silent.requests == DeliveryTurns.perReceiver }
        let run = try await fixture.run()
        let sent = try await fixture.delivery { $0.facts.run == run && $0.status == .delivered }
        #expect(sent.rule == "good")
        let waiting = try await deliveries(fixture, "silent")
        #expect(waiting.count == 60 && waiting.allSatisfy { $0.status == .waiting })
        #expect(waiting.count { $0.attempts > 0 } == DeliveryTurns.perReceiver)
        await fixture.stop()
    }

    @Test func `while a due message waits for a place, the next look is when another one is due`() async throws {
        let (silent, busy) = (try await SilentReceiver(), try await Receiver { _ in "503 Service Unavailable" })
        let fixture = try await Fixture([
            try rule("silent", .failed, silent.url), try rule("busy", .succeeded, busy.url),
        ])
        for _ in 0..<3 { try await fixture.run(failing: "No.") }
        try await until { silent.requests == DeliveryTurns.perReceiver }
        try await until { try await deliveries(fixture, "silent").count == 3 }
        try await fixture.run()
        // What tidies once a day, and what waits for the next attempt.
        await fixture.clock.sleepers(2)
        #expect(silent.requests == DeliveryTurns.perReceiver)
        await fixture.stop()
    }

    @Test func `a message arrives while sixty wait for a program that hangs, and so does one by another program`()
        async throws
    {
        let good = try await Receiver()
        let fixture = try await Fixture([
            try rule("hangs", .failed, running: "sleep 1000"), try rule("good", .succeeded, good.url),
            try rule("program", .succeeded, running: "exit 0"),
        ])
        for _ in 0..<60 { try await fixture.run(failing: "No.") }
        try await until { try await deliveries(fixture, "hangs").count { $0.attempts > 0 } == 2 }
        let run = try await fixture.run()
        for name in ["good", "program"] {
            _ = try await fixture.delivery { $0.facts.run == run && $0.rule == name && $0.status == .delivered }
        }
        #expect(try await deliveries(fixture, "hangs").allSatisfy { $0.status == .waiting })
        // The programs would go on for 1,000 s, and are given 30.
        #expect(await soon(within: .seconds(20)) { await fixture.stop() } != nil)
    }

    @Test func `a server that stops while every receiver stalls sends all messages when it is back`() async throws {
        let isSilent = Locked(true)
        let delivered = Locked<[String]>([])
        let receiver = try await RequestListener(hangsUp: false) { request in
            guard !isSilent.withLock({ $0 }) else { return "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc" }
            delivered.withLock { $0.append(request.headers["x-weir-delivery"] ?? "") }
            return RequestListener.http("200 OK", "")
        }
        let rules = [try rule("1", .failed, receiver.url + "/")]
        let fixture = try await Fixture(rules)
        var runs: [String] = []
        for _ in 0..<10 { runs.append(try await fixture.run(failing: "No.")) }
        try await until {
            let made = try await deliveries(fixture, "1")
            return made.count == 10 && made.contains { $0.attempts > 0 }
        }
        // An attempt is given 30 s.
        #expect(await soon(within: .seconds(20)) { await fixture.stop() } != nil)
        #expect(try await deliveries(fixture, "1").count { $0.status == .waiting } == 10)
        isSilent.withLock { $0 = false }
        let again = fixture.makeNotifier()
        let work = Task { await again.run() }
        try await until { try await deliveries(fixture, "1").allSatisfy { $0.status == .delivered } }
        #expect(delivered.withLock { $0 }.sorted() == runs.map { "\($0)-1" }.sorted())
        work.cancel()
        await work.value
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func `a receiver that stops before its answer or within it is given 30 s`(answer: String) async throws {
        let clock = VirtualClock()
        let asked = MutableStateFlow(false)
        let receiver = try await RequestListener(hangsUp: false) { _ in
            asked.value = true
            return answer
        }
        let sender = NotificationSender(
            environment: OperationEnvironment(clock: clock),
            commandEnvironment: .init(folder: URL(filePath: "/"), environment: [:], helper: nil)
        ) { Fixture.secrets[$0] }
        let facts = NotificationFacts(
            delivery: "x-1", event: .failed, operation: "job", title: "A job", actor: "Ana", endedAt: 0)
        let rule = try NotificationRule.webhook(receiver.url + "/")
        async let outcome = sender.send(facts, by: rule)
        await clock.sleepers(1)
        _ = await asked.first { $0 }
        clock.advance(by: .seconds(30))
        guard case .again(let sentence, _) = try await outcome else {
            Issue.record("The message is not sent again.")
            return
        }
        #expect(sentence.contains("within 30 s"))
    }

    @Test func `receivers are told apart by host and port, whichever secret or path is behind them`() throws {
        let sender = NotificationSender(
            environment: OperationEnvironment(),
            commandEnvironment: .init(folder: URL(filePath: "/"), environment: [:], helper: nil)
        ) { ["a": "https://Hooks.example/a", "b": "https://hooks.example:443/b"][$0] }
        func receiver(_ url: String) throws -> DeliveryTurns.Receiver? {
            sender.receiver(of: try NotificationRule.webhook(url))
        }
        #expect(try receiver("{{secrets.a}}") == .server("hooks.example:443"))
        #expect(try receiver("{{secrets.b}}") == .server("hooks.example:443"))
        #expect(try receiver("http://hooks.example/a") == .server("hooks.example:80"))
        #expect(try receiver("{{secrets.missing}}") == nil)
    }

    @Test func `the head of a queue is found behind any number of messages of another, and a sent one is passed over`()
        async throws
    {
        let store = try DeliveryStore(path: nil)
        func message(_ id: String, _ operation: String, _ rule: String, at nextAt: Int64) throws -> DeliveryRecord {
            DeliveryRecord(
                facts: NotificationFacts(
                    delivery: id, event: .failed, operation: operation, title: "A job", actor: "Ana", endedAt: 0),
                rule: try self.rule(rule, .failed, "http://a.example/"), nextAt: nextAt)
        }
        let long = try (100..<600).map { try message("\($0)", "job", "1", at: Int64($0)) }
        var delivered = try message("0", "job", "3", at: 0)
        delivered.status = .delivered
        try await store.add(
            long + [try message("b", "job", "2", at: 9_000), try message("c", "other", "1", at: 10), delivered])
        #expect(try await store.heads(except: []).map(\.id) == ["100", "b", "c"])
        #expect(try await store.heads(except: ["100", "101", "b"]).map(\.id) == ["102", "c"])
        let head = try #require(try await store.heads(except: []).first)
        #expect(head.queue == DeliveryQueue(operation: "job", rule: "1") && head.nextAt == 100)
        #expect(try DeliveryRecord(json: head.json) == long.first)
        #expect(try await DeliveryStore(path: nil).heads(except: []).isEmpty)
    }

    private static let deliveredMessages: [(NotificationEvent, UInt64?, Int64, Bool)] = [
        (.recovered, 2, 900, true), (.recovered, 0, 1_100, false), (.cancelled, 2, 1_100, false),
        (.recovered, nil, 1_100, true), (.recovered, nil, 900, false),
    ]

    @Test(arguments: deliveredMessages)
    func `a message is overtaken by one that is later in the journal, or without a place there by its time`(
        event: NotificationEvent, sequence: UInt64?, time: Int64, isOvertaken: Bool
    ) async throws {
        let store = try DeliveryStore(path: nil)
        func message(_ event: NotificationEvent, _ sequence: UInt64?, at time: Int64) throws -> DeliveryRecord {
            var message = DeliveryRecord(
                facts: NotificationFacts(
                    delivery: event.rawValue, event: event, operation: "job", title: "A job", actor: "Ana",
                    endedAt: time),
                rule: try rule("1", .failed, "http://a.example/"), nextAt: 0)
            message.sequence = sequence.map { SequenceNumber(clamping: $0) }
            return message
        }
        var other = try message(event, sequence, at: time)
        other.status = .delivered
        // Neither a message of another rule nor one about another problem counts.
        var (ofOther, slow) = (try message(.recovered, 3, at: 1_200), try message(.slow, 3, at: 1_200))
        (ofOther.facts.delivery, ofOther.rule) = ("of another rule", "2")
        (ofOther.status, slow.status) = (.delivered, .delivered)
        try await store.add([other, ofOther, slow])
        #expect(try await store.isOvertaken(message(.failed, 1, at: 1_000)) == isOvertaken)
    }
}
