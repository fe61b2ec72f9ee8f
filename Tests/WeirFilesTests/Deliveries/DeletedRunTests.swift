import Testing
import TestSupport
@testable import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirFiles

/// The messages about runs that a person deletes.
@Suite(.timeLimit(.minutes(15)))
struct DeletedRunTests {
    @Test func `the messages about a run go with it, also if it is deleted while the server is stopped`() async throws {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url)]
        let journal = MemoryJournal(epoch: "testepoch0001")
        let before = try await Fixture(rules, journal: journal)
        let (first, second) = (try await before.run(failing: "No."), try await before.run())
        let third = try await before.run(failing: "No.")
        for run in [first, third] {
            _ = try await before.delivery { $0.facts.run == run && $0.status == .delivered }
        }
        await before.stop()
        await before.board.shutdown()
        for run in [first, second] { _ = try await journal.delete(run, by: "Ana", at: Timestamp(milliseconds: 9)) }
        let after = try await Fixture(rules, journal: journal, store: before.store)
        try await until { try await before.store.deliveries(ofRun: first).isEmpty }
        #expect(try await before.store.runs() == [third])
        _ = try await after.board.delete(third, actor: "Ana")
        try await until { try await before.store.runs().isEmpty }
        await after.stop()
    }

    @Test func `a message that is added after its run was deleted does not stay`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url)])
        let run = try await fixture.run(failing: "No.")
        let delivery = try await fixture.delivery { $0.status == .delivered }
        _ = try await fixture.board.delete(run, actor: "Ana")
        try await until { try await fixture.store.runs().isEmpty }
        // The messages of an end are made before they are added.
        try await fixture.notifier.begin([delivery])
        try await until { try await fixture.store.runs().isEmpty }
        await fixture.stop()
    }
}
