import Flows
import Journals
import Logging
import States
import TestClocks
import Testing
import TestSupport

@testable import Boards

/// When old runs are removed at once, and when that is announced first.
@Suite(.timeLimit(.minutes(5))) struct RetentionTests {
    private static let hour: Int64 = 3_600_000

    private func at(_ hours: Int64) -> Timestamp { Timestamp(milliseconds: 1_795_219_200_000 + hours * Self.hour) }

    /// Looks each hour from one to another with the same forecast; the hour of the first removal.
    private func firstRemoval(
        _ plan: inout RetentionPlan, _ forecast: RetentionForecast, hours: ClosedRange<Int64>
    ) -> Int64? {
        hours.first { plan.look(forecast, head: 5, newest: nil, now: at($0)) == .remove }
    }

    // K9
    @Test func `a removal of few runs, or of a small share, or of what each day brings, is done at once`() {
        for forecast in [
            RetentionForecast(runs: 1_000, kept: 1_000, recent: 0), .init(runs: 5_000, kept: 50_000, recent: 0),
            .init(runs: 5_000, kept: 6_000, recent: 5_000), .init(),
        ] {
            var plan = RetentionPlan(text: nil)
            #expect(plan.look(.init(), head: 1, newest: at(0), now: at(0)) == .remove)
            #expect(plan.look(forecast, head: 2, newest: at(0), now: at(1)) == .remove, "\(forecast)")
            #expect(plan.head == 2)
        }
    }

    // K9
    @Test func `a large removal is announced, and done once the server has run for a day`() {
        var plan = RetentionPlan(text: nil)
        let forecast = RetentionForecast(runs: 60_001, kept: 70_000, recent: 1)
        let due = AnnouncedRemoval(reason: .size, runs: 60_001, kept: 70_000, due: at(24))
        #expect(plan.look(forecast, head: 1, newest: at(0), now: at(0)) == .wait(due, isNew: true))
        #expect(plan.look(forecast, head: 1, newest: at(0), now: at(1)) == .wait(due, isNew: false))
        #expect(firstRemoval(&plan, forecast, hours: 2...100) == 24)
        #expect(plan.announcement == nil)
    }

    // K9, K3
    @Test func `an announcement is kept over restarts, and the time while the server is off does not count`() throws {
        var plan = RetentionPlan(text: nil)
        let forecast = RetentionForecast(runs: 60_001, kept: 70_000, recent: 1)
        #expect(firstRemoval(&plan, forecast, hours: 0...10) == nil)
        var next = RetentionPlan(text: try plan.text())
        #expect(next == plan)
        // Off from the tenth hour to the sixtieth: one hour of it counts.
        #expect(firstRemoval(&next, forecast, hours: 60...100) == 73)
    }

    // K9
    @Test func `a clock that is far ahead postpones even a small removal, and a jump does not shorten the day`() {
        let years: Int64 = 10 * 365 * 24
        let forecast = RetentionForecast(runs: 3, kept: 40, recent: 0)
        var plan = RetentionPlan(text: nil)
        // No look before: the newest change counts.
        let due = AnnouncedRemoval(reason: .clock, runs: 3, kept: 40, due: at(years + 24))
        #expect(plan.look(forecast, head: 1, newest: at(0), now: at(years)) == .wait(due, isNew: true))
        #expect(firstRemoval(&plan, forecast, hours: (years + 1)...(years + 100)) == years + 24)

        plan = RetentionPlan(text: nil)
        #expect(plan.look(.init(), head: 1, newest: nil, now: at(0)) == .remove)
        #expect(plan.look(forecast, head: 1, newest: nil, now: at(2)) == .remove)
        let large = RetentionForecast(runs: 2_000, kept: 2_000, recent: 0)
        #expect(firstRemoval(&plan, large, hours: 3...10) == nil)
        #expect(firstRemoval(&plan, large, hours: years...(years + 100)) == years + 16)
        // Set right again, nothing is due any more, and the announcement is withdrawn.
        plan = RetentionPlan(text: nil)
        _ = plan.look(forecast, head: 1, newest: at(0), now: at(years))
        #expect(plan.look(.init(), head: 1, newest: at(0), now: at(1)) == .remove)
        #expect(plan.announcement == nil)
    }

    // K9
    @Test func `many more runs that become due begin the day anew, but not for ever`() {
        var plan = RetentionPlan(text: nil)
        #expect(firstRemoval(&plan, .init(runs: 2_000, kept: 2_000, recent: 0), hours: 0...20) == nil)
        let more = RetentionForecast(runs: 90_000, kept: 90_000, recent: 0)
        #expect(firstRemoval(&plan, more, hours: 21...200) == 45)

        plan = RetentionPlan(text: nil)
        var removed: Int64?
        for hour in Int64(0)...400 where removed == nil {
            let forecast = RetentionForecast(runs: 2_000 << Int(hour / 20), kept: 2_000 << Int(hour / 20), recent: 0)
            if plan.look(forecast, head: 1, newest: nil, now: at(hour)) == .remove { removed = hour }
        }
        #expect((7 * 24...8 * 24).contains(removed ?? 0))
    }

    @Test(arguments: [
        "", "{", "[]", #"{"lookedAt":-1,"head":"x"}"#, #"{"lookedAt":9223372036854775807,"announced":{}}"#,
        #"{"announced":{"reason":"size","runs":1,"waited":-9223372036854775808,"total":1}}"#,
        #"{"announced":{"reason":"x","runs":1,"waited":1,"total":1}}"#,
    ])
    func `a note that no plan has written counts as none`(text: String) {
        #expect(RetentionPlan(text: text).announcement == nil)
        #expect(RetentionPlan(text: text).lookedAt == nil)
        var plan = RetentionPlan(text: text)
        #expect(plan.look(.init(), head: 1, newest: nil, now: at(0)) == .remove)
    }

    // MARK: On a board

    /// A board on a journal, at an hour that moves on with its clock.
    private func board(
        _ journal: JournalDouble, _ clock: VirtualClock, hour: Int64 = 0, log: CapturedLog = CapturedLog(),
        configure: (inout RetentionPolicy) -> Void
    ) async throws -> Board {
        var catalog = Catalog()
        catalog.add(TestOperation.quick, id: "quick", title: "Quick", summary: "A test.")
        var configuration = Board.Configuration()
        var policy = RetentionPolicy()
        configure(&policy)
        configuration.retention = policy
        // The only sleeper is who looks for what has to go.
        configuration.journalCheckInterval = nil
        let start = at(hour).milliseconds
        return try await Board.open(
            catalog: catalog, journal: journal, configuration: configuration,
            now: {
                Timestamp(milliseconds: start + clock.now.offset.components.seconds * 1_000)
            }, clock: clock, logger: log.logger)
    }

    /// So many runs that were imported from elsewhere.
    private func imported(_ count: Int) async throws -> JournalDouble {
        let journal = MemoryJournal(retention: RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: nil))
        let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
        for number in 0..<count {
            let state = StateRecord(caseName: "success", phase: .succeeded)
            let draft = ChangeDraft(
                stream: .run("r\(number)"), subject: "quick", revision: 0, at: at(0), state: state, isTransition: true,
                opening: RunOpening(actor: "tester", input: [:]))
            try await journal.addImported([.change(draft, origin: origin)], at: at(0))
        }
        await journal.commitImport()
        return JournalDouble(journal)
    }

    /// Lets the board look so often, an hour apart.
    private func look(_ times: Int, _ clock: VirtualClock) async {
        for _ in 0..<times {
            await clock.sleepers(1)
            clock.advance(by: .seconds(3_600))
        }
        await clock.sleepers(1)
    }

    // K9
    @Test func `a large removal waits for a day on the board, over a restart, and can be prevented`() async throws {
        let journal = try await imported(1_500)
        let kept = { try await journal.runs(RunQuery(limit: 10_000)).runs.count }
        var clock = VirtualClock()
        let log = CapturedLog(level: .warning)
        let first = try await board(journal, clock, log: log) { $0.standard.maximumRuns = 100 }
        await look(10, clock)
        #expect(log.messages().count { $0.hasPrefix("Many old runs will be removed in a day.") } == 1)
        #expect(
            first.announcedRemoval == AnnouncedRemoval(reason: .size, runs: 1_400, kept: 1_500, due: at(24)))
        #expect(try await kept() == 1_500)
        await first.shutdown()

        clock = VirtualClock()
        let second = try await board(journal, clock, hour: 10) { $0.standard.maximumRuns = 100 }
        await look(13, clock)
        #expect(try await kept() == 1_500)
        #expect(second.announcedRemoval?.due == at(24))
        await second.shutdown()

        // Whoever wants to keep them changes the limit.
        clock = VirtualClock()
        let third = try await board(journal, clock, hour: 23) { $0.standard.maximumRuns = 2_000 }
        await look(3, clock)
        #expect(try await kept() == 1_500)
        #expect(third.announcedRemoval == nil)
        await third.shutdown()

        clock = VirtualClock()
        let fourth = try await board(journal, clock, hour: 26) { $0.standard.maximumRuns = 100 }
        await look(23, clock)
        #expect(try await kept() == 1_500)
        await look(1, clock)
        #expect(try await kept() == 100)
        #expect(fourth.announcedRemoval == nil)
        await fourth.shutdown()
    }

    // K9
    @Test func `a restart with the clock ten years ahead removes nothing, and nothing once it is right again`()
        async throws
    {
        let journal = try await imported(30)
        var clock = VirtualClock()
        let ahead = try await board(journal, clock, hour: 10 * 365 * 24) { _ in }
        await look(5, clock)
        #expect(ahead.announcedRemoval?.reason == .clock)
        #expect(ahead.announcedRemoval?.runs == 30)
        #expect(try await journal.runs(RunQuery(limit: 100)).runs.count == 30)
        await ahead.shutdown()
        clock = VirtualClock()
        let right = try await board(journal, clock, hour: 1) { _ in }
        await look(30, clock)
        #expect(right.announcedRemoval == nil)
        #expect(try await journal.runs(RunQuery(limit: 100)).runs.count == 30)
        await right.shutdown()
    }

    @Test func `a limit that is lowered while it runs applies at once, and stays for the hours to come`() async throws {
        let (journal, clock) = (try await imported(30), VirtualClock())
        let board = try await board(journal, clock) { _ in }
        let kept = { try await journal.runs(RunQuery(limit: 100)).runs.count }
        await look(1, clock)
        #expect(try await kept() == 30)
        for limit in [20, 10] {
            var policy = RetentionPolicy()
            policy.standard.maximumRuns = limit
            board.keep(policy)
            try await until { try await kept() == limit }
        }
        await look(2, clock)
        #expect(try await kept() == 10)
        await board.shutdown()
    }

    @Test func `a limit that is set while another server records counts from when this one does`() async throws {
        let pair = try await BoardPair(configuration: { $0.retention = RetentionPolicy() }) { catalog, _ in
            catalog.add(TestOperation.quick, id: "job", title: "job", summary: "A test.")
        }
        for _ in 0..<3 {
            let run = try await pair.first.start("job", input: [:], actor: "anna").run
            await pair.first.outcome(of: run)
        }
        var policy = RetentionPolicy()
        policy.standard.maximumRuns = 1
        pair.second.keep(policy)
        pair.journals[0].isDead.withLock { $0 = true }
        try await pair.beats { pair.second.currentRole.value == .recording }
        try await until { await pair.cluster.journal.runs(RunQuery(limit: 10)).runs.count == 1 }
        await pair.shutdown()
    }
}
