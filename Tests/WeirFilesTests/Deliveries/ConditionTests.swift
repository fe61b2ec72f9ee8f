import Foundation
import GRDB
import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirFiles

/// Messages about the server itself, to a real receiver on this machine.
@Suite(.timeLimit(.minutes(15)))
struct ConditionTests {
    private let low: [ServerCondition.Kind: [String: String]] = [.disk: ["": "5 MB are left."]]

    /// The messages by their ids: one that was being sent when the server stopped is sent again.
    private func sent(_ receiver: Receiver) throws -> [JSONValue] {
        var known: Set<String> = []
        return try receiver.requests.value.map { try JSONValue(parsing: Data($0.body.utf8)) }
            .filter { known.insert($0["delivery"]?.string ?? "").inserted }
    }

    @Test func `a condition is reported once when it begins and once when it ends, also over a restart`() async throws {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url, [.server])]
        let journal = MemoryJournal(epoch: "testepoch0001")
        let before = try await Fixture(rules, journal: journal)
        try await before.notifier.take(low)
        try await before.notifier.take([.disk: ["": "4 MB are left."]])
        // A kind that could not be observed keeps its condition.
        try await before.notifier.take([:])
        #expect(before.notifier.conditions.map(\.sentence) == ["4 MB are left."])
        try await until { receiver.requests.value.count == 1 }
        await before.stop()
        let after = try await Fixture(rules, journal: journal, store: before.store)
        try await after.notifier.take(low)
        try await after.notifier.take([.disk: [:]])
        try await after.notifier.take([.disk: [:]])
        #expect(after.notifier.conditions.isEmpty)
        try await until { try sent(receiver).count == 2 }
        let bodies = try sent(receiver)
        #expect(
            bodies.map { $0["text"] } == [
                "Weir at weir.example has little disk space left", "Weir at weir.example has disk space again",
            ])
        #expect(bodies.map { $0["condition"]?["over"] } == [false, true])
        #expect(bodies.first?["condition"]?["message"] == "5 MB are left.")
        #expect(bodies.first?["url"] == "https://weir.example/system")
        await after.stop()
    }

    @Test func `a server that is gone stays missed when this one has just started`() async throws {
        let fixture = try await Fixture([])
        let missed = ServerCondition(.server, of: "b", since: fixture.notifier.now(), sentence: "It is gone.")
        _ = try await fixture.store.changeConditions(at: missed.since) { _ in ([missed], []) }
        try await fixture.notifier.take([:])
        #expect(fixture.notifier.conditions.map(\.sentence) == ["It is gone."])
        await fixture.stop()
    }

    @Test func `a condition that cannot be kept holds nevertheless, and is reported once it is kept`() async throws {
        let receiver = try await Receiver()
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-conditions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let path = folder.appending(path: "deliveries.sqlite").path
        let fixture = try await Fixture(
            [try .webhook(receiver.url, [.server])], store: try DeliveryStore(path: path))
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "ALTER TABLE condition RENAME TO away") }
        await #expect(throws: (any Error).self) { try await fixture.notifier.take(low) }
        #expect(fixture.notifier.conditions.map(\.sentence) == ["5 MB are left."])
        try await other.write { try $0.execute(sql: "ALTER TABLE away RENAME TO condition") }
        try await fixture.notifier.take(low)
        try await until { receiver.requests.value.count == 1 }
        await fixture.stop()
    }

    @Test func `a rule for the server is not one for operations`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.server])])
        #expect(fixture.notifier.notifications(of: "job").isEmpty)
        try await fixture.run(failing: "No.")
        try await fixture.notifier.take(low)
        try await until { receiver.requests.value.count == 1 }
        #expect(try sent(receiver).map { $0["event"] } == ["server"])
        await fixture.stop()
    }

    @Test func `a message that is given up is a condition until one to the same receiver is delivered`() async throws {
        let isBroken = Locked(true)
        let receiver = try await Receiver { _ in isBroken.withLock { $0 } ? "404 Not Found" : "200 OK" }
        let other = try await Receiver()
        let rules = [
            try NotificationRule.webhook(receiver.url),
            NotificationRule(
                name: "2", events: [.server], channel: try NotificationRule.webhook(other.url, format: .slack).channel),
        ]
        let fixture = try await Fixture(rules)
        for _ in 0..<2 {
            let run = try await fixture.run(failing: "No.")
            _ = try await fixture.delivery { $0.facts.run == run && $0.status == .failed }
        }
        try await until { !fixture.notifier.conditions.isEmpty }
        let condition = try #require(fixture.notifier.conditions.first)
        #expect(condition.kind == .delivery && condition.subject == "\(rules[0].place) (rule 1)")
        #expect(condition.sentence == "A job failed: The receiver answered 404: no")
        // The observation of other conditions does not end it.
        try await fixture.notifier.take([.disk: [:]])
        #expect(fixture.notifier.conditions.count == 1)
        isBroken.withLock { $0 = false }
        try await fixture.run(failing: "No.")
        try await until { fixture.notifier.conditions.isEmpty }
        try await until { other.requests.value.count == 2 }
        await fixture.stop()
    }

    @Test func `a receiver that no rule names any more has no condition`() async throws {
        let receiver = try await Receiver { _ in "404 Not Found" }
        let fixture = try await Fixture([try .webhook(receiver.url)])
        try await fixture.run(failing: "No.")
        try await until { !fixture.notifier.conditions.isEmpty }
        fixture.notifier.replace(HookPlan())
        try await fixture.notifier.take([:])
        #expect(fixture.notifier.conditions.isEmpty)
        await fixture.stop()
    }

    @Test func `no number of conditions fills the memory`() {
        let subjects = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("\($0)", "x") })
        let now = Timestamp(milliseconds: 0)
        let (holding, changed) = ServerCondition.changes(of: [], to: [.schedule: subjects], at: now, limit: 10)
        #expect(holding.count == 10 && changed.count == 10)
        #expect(ServerCondition.changes(of: holding, to: [.schedule: subjects], at: now, limit: 10).changed.isEmpty)
    }
}
