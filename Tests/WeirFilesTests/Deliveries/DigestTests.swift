import Foundation
import TestSupport
import Testing
@testable import WeirBoards
import WeirFlows
import WeirJournals
import WeirPostgres
import WeirStates

@testable import WeirFiles

/// E-mails about a day or a week; the clock begins on Thursday, 1 January 1970, 00:00 UTC.
@Suite(.timeLimit(.minutes(15)))
struct DigestTests {
    private static let hour: Int64 = 3_600_000
    private let digest = Self.rule("day", NotificationPeriod(digest: "07:00"))
    private let report = Self.rule("week", NotificationPeriod(report: "Monday 08:00"))

    private static func rule(_ name: String, _ period: NotificationPeriod?) -> NotificationRule {
        NotificationRule(
            name: name, events: [], channel: .email([MailAddress("ops@example.com")].compactMap { $0 }), period: period)
    }

    private func mails(_ fixture: Fixture) async throws -> [NotificationFacts] {
        try await fixture.store.deliveries(of: ServerCondition.operation, limit: 100).map(\.facts).reversed()
    }

    private func tally(_ rule: NotificationRule, _ fixture: Fixture) async throws -> DigestTally? {
        try await fixture.store.state().tally(of: rule)
    }

    /// Lets time pass, an hour or a step at once, until there are that many e-mails.
    ///
    /// The clock stands still while a notifier works: each of them sleeps twice when it has nothing to do, until it tidies up and
    /// until its next look.
    private func arrived(
        _ count: Int, _ fixture: Fixture, by step: Duration = .seconds(3_600), notifiers: Int = 1
    ) async throws -> [NotificationFacts] {
        try await until {
            try await mails(fixture).count >= count
        } otherwise: {
            if fixture.clock.sleepers.value >= 2 * notifiers { fixture.clock.advance(by: step) }
        }
        return try await mails(fixture)
    }

    @Test func `the failures and recoveries of a day are one e-mail with links`() async throws {
        let fixture = try await Fixture([digest])
        try await until { try await tally(digest, fixture) != nil }
        for words in ["Full.", "No answer.", nil] { try await fixture.run(failing: words) }
        let last = try await fixture.run(failing: "Full again.")
        try await until { try await tally(digest, fixture)?.ended == 4 }
        let mail = try #require(try await arrived(1, fixture).first)
        #expect(mail.headline == "Weir at weir.example: 3 failed runs, 1 recovery" && mail.event == .digest)
        #expect(mail.delivery == "digest-day.\(7 * Self.hour)")
        let summary = try #require(mail.summary)
        #expect(summary.sections.map(\.title) == ["Failures"] && summary.period.contains("(UTC). 4 runs ended."))
        #expect(
            summary.sections.first?.rows == [
                .init(["A job", "3 failed", "Full again."], url: "https://weir.example/runs/\(last)")
            ])
        let content = NotificationMail(mail)
        #expect(
            content.text.contains("Failures\n\n- A job · 3 failed · Full again.\n  https://weir.example/runs/\(last)\n")
        )
        #expect(content.html.contains("<a href=\"https://weir.example/runs/\(last)\">A job</a>"))
        await fixture.stop()
    }

    @Test func `a day without events gives no e-mail, unless the rule asks for it`() async throws {
        let always = Self.rule("always", NotificationPeriod(digest: "07:00", sendsEmpty: true))
        let fixture = try await Fixture([digest, always])
        try await until { try await tally(always, fixture) != nil }
        let mail = try #require(try await arrived(1, fixture).first)
        #expect(mail.headline == "Weir at weir.example: nothing to report" && mail.delivery.hasPrefix("digest-always."))
        let (silent, sent) = (try await tally(digest, fixture), try await tally(always, fixture))
        #expect(silent?.since == sent?.since)
        await fixture.stop()
    }

    @Test func `the digests of days without a server are one, which is not repeated after a restart`() async throws {
        let fixture = try await Fixture([digest])
        try await until { try await tally(digest, fixture) != nil }
        await fixture.stop()
        try await fixture.run(failing: "Nobody looked.")
        fixture.clock.advance(by: .seconds(3 * 86_400))
        for _ in 0..<2 {
            let again = fixture.makeNotifier()
            let work = Task { await again.run() }
            try await until { try await tally(digest, fixture)?.since == Timestamp(milliseconds: 72 * Self.hour) }
            // What is read after the digest comes after all that could repeat it.
            let position = try await fixture.store.position(in: fixture.board.epoch)
            try await fixture.run()
            try await until { try await fixture.store.position(in: fixture.board.epoch) != position }
            work.cancel()
            await work.value
        }
        let mails = try await mails(fixture)
        #expect(mails.map(\.delivery) == ["digest-day.\((2 * 24 + 7) * Self.hour)"])
        #expect(mails.first?.summary?.sections.first?.rows.first?.cells.last == "Nobody looked.")
    }

    @Test func `a digest that is due while the server begins to listen waits a second, not an hour`() async throws {
        let before = try await Fixture([digest])
        try await until { try await tally(digest, before) != nil }
        try await before.run(failing: "Nobody looked.")
        try await until { try await tally(digest, before)?.ended == 1 }
        await before.stop()
        before.clock.advance(by: .seconds(30 * 3_600))
        // The server begins to listen half a second after the first look for a digest.
        let address = { @Sendable [clock = before.clock] () -> String? in
            clock.now.offset < .seconds(30 * 3_600) + .milliseconds(500) ? nil : "https://weir.example/"
        }
        let fixture = try await Fixture([digest], store: before.store, clock: before.clock, address: address)
        let mail = try #require(try await arrived(1, fixture, by: .seconds(1)).first)
        #expect(mail.delivery == "digest-day.\(7 * Self.hour)" && mail.endedAt == 30 * Self.hour + 1_000)
        await fixture.stop()
    }

    @Test func `a digest has the pending conditions of the server and those that ended`() async throws {
        let fixture = try await Fixture([digest])
        try await until { try await tally(digest, fixture) != nil }
        try await fixture.notifier.take([.disk: ["": "5 MB are left."], .files: ["": "A mistake."]])
        try await fixture.notifier.take([.files: [:]])
        let mail = try #require(try await arrived(1, fixture).first)
        #expect(mail.headline == "Weir at weir.example: 2 server conditions")
        #expect(
            mail.summary?.sections.first?.rows.map { [$0.cells.first, $0.cells.last] } == [
                ["Weir has little disk space left", "5 MB are left."],
                ["Weir has no files with mistakes any more", ""],
            ])
        await fixture.stop()
    }

    @Test func `a server that takes over sends what the other one counted, and no digest twice`() async throws {
        let url = try PostgresServer.shared.get().database()
        let first = try await PostgresJournal.open(url, configuration: .init(node: PostgresNode(id: "a", name: "a")))
        let second = try await PostgresJournal.open(url, configuration: .init(node: PostgresNode(id: "b", name: "b")))
        let clock = VirtualClock()
        let recording = try await Fixture([digest], journal: first, clock: clock)
        let following = try await Fixture([digest], journal: second, clock: clock)
        try await until { try await tally(digest, recording) != nil }
        try await recording.run(failing: "Sent by the first.")
        _ = try await arrived(1, recording, notifiers: 2)
        let sent = try #require(try await tally(digest, recording)?.since)
        try await recording.run(failing: "Counted by the first.")
        try await until { try await tally(digest, recording)?.ended == 1 }
        await recording.stop()
        await recording.board.shutdown()
        await first.close()
        _ = await following.board.currentRole.first { $0 == .recording }
        let mails = try await arrived(1, following)
        let failures = mails.map { $0.summary?.sections.first?.rows.first?.cells.last }
        #expect(failures.first == "Counted by the first." && !failures.contains("Sent by the first."))
        let later = try #require(try await tally(digest, following)?.since)
        #expect(later > sent)
        await following.stop()
        await following.board.shutdown()
        await second.close()
    }

    @Test func `the weekly report is of seven whole days in the server's zone`() async throws {
        var configuration = Board.Configuration()
        configuration.zone = try Schedule.zone("America/Sao_Paulo")
        let fixture = try await Fixture([report], configuration: configuration)
        try await until { try await tally(report, fixture) != nil }
        for words in ["Full.", nil, nil] { try await fixture.run(failing: words) }
        let mail = try #require(try await arrived(1, fixture).first)
        #expect(mail.headline == "Weir at weir.example, week to Sun 4 Jan 1970: 3 runs, 1 failed")
        #expect(
            mail.url
                == "https://weir.example/report?from=1969-12-29T03:00:00.000Z&to=1970-01-05T02:59:59.999Z")
        let sections = try #require(mail.summary?.sections)
        #expect(sections.map(\.title) == ["By operation", "Failures by message"])
        #expect(sections.first?.rows.first?.cells.prefix(5) == ["A job", "3", "0", "1", "0"])
        #expect(sections.last?.rows.first?.cells == ["Full.", "1", "A job"])
        await fixture.stop()
    }
}
