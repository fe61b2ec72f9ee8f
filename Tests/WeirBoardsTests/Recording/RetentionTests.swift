import Logging
import Testing
import TestSupport
import WeirFlows
@testable import WeirJournals
import WeirStates

@testable import WeirBoards

/// When old runs are removed at once, and when that is announced first.
@Suite(.timeLimit(.minutes(15))) struct RetentionTests {
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
        #expect(plan.look(.init(), head: 1, newest: at(0), now: at(1)) == .withdraw)
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

    // MARK: Lower limits

    private static func limit(_ runs: Int?, of operation: String? = nil) -> RetentionPolicy {
        var policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: operation == nil ? runs : nil)
        if let operation { policy.operations[operation] = .init(maximumRuns: runs) }
        return policy
    }

    /// A plan whose last removal was within a limit of 100 runs.
    private func plan(after policy: RetentionPolicy = limit(100)) throws -> RetentionPlan {
        var plan = RetentionPlan(text: nil)
        #expect(plan.look(.init(), policy, head: 1, newest: nil, now: at(0), running: nil) == .remove)
        return RetentionPlan(text: try plan.text())
    }

    // K9
    @Test(arguments: [limit(99), limit(50, of: "quick"), RetentionPolicy(maximumAge: 1, maximumRunsPerOperation: nil)])
    func `lower limits remove nothing before a minute in which the process runs`(policy: RetentionPolicy) throws {
        var plan = try plan(after: policy.standard.maximumRuns == nil ? Self.limit(nil) : Self.limit(100))
        let forecast = RetentionForecast(runs: 7, kept: 40, recent: 0)
        let due = { (runs: Int, moment: Timestamp) in
            AnnouncedRemoval(reason: .settings, runs: runs, kept: 40, due: moment)
        }
        let start = at(1)
        let after = { (seconds: Int64) in Timestamp(milliseconds: start.milliseconds + seconds * 1_000) }
        #expect(
            plan.look(forecast, policy, head: 1, newest: nil, now: start, running: 9_000_000)
                == .wait(due(7, after(60)), isNew: true))
        // A clock that is put forward does not shorten it.
        #expect(
            plan.look(forecast, policy, head: 1, newest: nil, now: after(7_200), running: 59_999)
                == .wait(due(7, Timestamp(milliseconds: after(7_200).milliseconds + 1)), isNew: false))
        // A restart begins it again.
        plan = RetentionPlan(text: try plan.text())
        #expect(
            plan.look(forecast, policy, head: 1, newest: nil, now: after(7_201), running: nil)
                == .wait(due(7, after(7_261)), isNew: true))
        #expect(plan.look(forecast, policy, head: 2, newest: nil, now: after(7_261), running: 60_000) == .remove)
        #expect(plan.policy == policy)
        #expect(plan.look(forecast, policy, head: 3, newest: nil, now: after(7_262), running: 1) == .remove)
    }

    // K9
    @Test func `limits that are lowered again begin the minute again, and limits as before withdraw it`() throws {
        var plan = try plan()
        let few = RetentionForecast(runs: 7, kept: 40, recent: 0)
        let more = RetentionForecast(runs: 20, kept: 40, recent: 0)
        func look(_ forecast: RetentionForecast, _ limit: Int, running: Int64) -> RetentionPlan.Decision {
            plan.look(forecast, Self.limit(limit), head: 1, newest: nil, now: at(0), running: running)
        }
        func isNew(_ decision: RetentionPlan.Decision) -> Bool? {
            if case .wait(let removal, let isNew) = decision, removal.reason == .settings { isNew } else { nil }
        }
        #expect(isNew(look(few, 30, running: 0)) == true)
        #expect(isNew(look(more, 20, running: 50_000)) == true)
        #expect(isNew(look(more, 20, running: 50_000)) == false)
        // Raised, and still lower than before: what remains due was announced.
        #expect(isNew(look(few, 25, running: 0)) == false)
        #expect(look(few, 100, running: 60_000) == .withdraw)
        #expect(plan.announcement == nil)
        #expect(isNew(look(few, 30, running: 60_000)) == true)
        #expect(look(.init(kept: 40), 30, running: 60_000) == .withdraw)
    }

    // K9
    @Test func `limits that are lowered while a large removal is announced leave a minute at least`() throws {
        var plan = try plan()
        let large = RetentionForecast(runs: 2_000, kept: 4_000, recent: 0)
        let larger = RetentionForecast(runs: 2_300, kept: 4_000, recent: 0)
        for hour in Int64(1)...24 {
            let decision = plan.look(
                large, Self.limit(90), head: 1, newest: nil, now: at(hour), running: Self.hour)
            guard case .wait(let removal, _) = decision else { return #expect(Bool(false), "removed too soon") }
            #expect(removal.reason == .size)
        }
        let almost = Timestamp(milliseconds: at(25).milliseconds - 1)
        guard
            case .wait(let removal, isNew: true) = plan.look(
                larger, Self.limit(80), head: 1, newest: nil, now: almost, running: Self.hour)
        else { return #expect(Bool(false), "not announced") }
        #expect(removal.runs == 2_300)
        #expect(removal.due - almost == 60_000)
    }

    // K9
    @Test func `limits of which it is not known what they were count as lower`() {
        var plan = RetentionPlan(text: #"{"lookedAt":1795219200000,"head":4}"#)
        let decision = plan.look(
            .init(runs: 1, kept: 9), .init(), head: 4, newest: nil, now: at(0), running: nil)
        #expect(
            decision
                == .wait(
                    .init(
                        reason: .settings, runs: 1, kept: 9, due: Timestamp(milliseconds: at(0).milliseconds + 60_000)),
                    isNew: true))
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
            first.announcedRemoval.value == AnnouncedRemoval(reason: .size, runs: 1_400, kept: 1_500, due: at(24)))
        #expect(try await kept() == 1_500)
        await first.shutdown()

        clock = VirtualClock()
        let second = try await board(journal, clock, hour: 10) { $0.standard.maximumRuns = 100 }
        await look(13, clock)
        #expect(try await kept() == 1_500)
        #expect(second.announcedRemoval.value?.due == at(24))
        await second.shutdown()

        // Whoever wants to keep them changes the limit.
        clock = VirtualClock()
        let third = try await board(journal, clock, hour: 23) { $0.standard.maximumRuns = 2_000 }
        await look(3, clock)
        #expect(try await kept() == 1_500)
        #expect(third.announcedRemoval.value == nil)
        await third.shutdown()

        clock = VirtualClock()
        let fourth = try await board(journal, clock, hour: 26) { $0.standard.maximumRuns = 100 }
        await look(23, clock)
        #expect(try await kept() == 1_500)
        await look(1, clock)
        #expect(try await kept() == 100)
        #expect(fourth.announcedRemoval.value == nil)
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
        #expect(ahead.announcedRemoval.value?.reason == .clock)
        #expect(ahead.announcedRemoval.value?.runs == 30)
        #expect(try await journal.runs(RunQuery(limit: 100)).runs.count == 30)
        await ahead.shutdown()
        clock = VirtualClock()
        let right = try await board(journal, clock, hour: 1) { _ in }
        await look(30, clock)
        #expect(right.announcedRemoval.value == nil)
        #expect(try await journal.runs(RunQuery(limit: 100)).runs.count == 30)
        await right.shutdown()
    }

    // K9
    @Test func `a limit that is lowered while it runs applies a minute later, unless it is raised before`() async throws
    {
        let (journal, clock, log) = (try await imported(30), VirtualClock(), CapturedLog(level: .notice))
        let board = try await board(journal, clock, log: log) { _ in }
        let kept = { try await journal.runs(RunQuery(limit: 100)).runs.count }
        let keep = { (limit: Int) in
            var policy = RetentionPolicy()
            policy.standard.maximumRuns = limit
            board.keep(policy)
        }
        let events = Locked<[RemovalEvent]>([])
        let subscription = board.removals.subscribe(.lossless) { event in
            if let event { events.withLock { $0.append(event) } }
        }
        await look(1, clock)
        keep(20)
        try await until { board.announcedRemoval.value != nil }
        await clock.sleepers(1)
        clock.advance(by: .seconds(59))
        keep(30)
        try await until { board.announcedRemoval.value == nil }
        await look(1, clock)
        #expect(try await kept() == 30)
        for limit in [20, 10] {
            keep(limit)
            try await until { board.announcedRemoval.value?.runs == 30 - limit - (limit == 10 ? 10 : 0) }
            await clock.sleepers(1)
            #expect(try await kept() > limit)
            clock.advance(by: .seconds(60))
            try await until { try await kept() == limit }
        }
        await look(2, clock)
        #expect(try await kept() == 10)
        await board.shutdown()
        #expect(log.messages(at: .warning).count { $0.hasPrefix("Old runs will be removed in a minute.") } == 3)
        #expect(log.messages(at: .notice) == ["The announced removal of old runs is withdrawn."])
        let kinds = events.withLock { events in
            events.map { event in
                switch event {
                case .announced(let removal): "announced \(removal.runs)"
                case .withdrawn(let removal): "withdrawn \(removal.runs)"
                case .carriedOut(_, let removed): "removed \(removed)"
                }
            }
        }
        #expect(
            kinds == [
                "announced 10", "withdrawn 10", "announced 10", "removed 10", "announced 10", "removed 10",
            ])
        subscription.cancel()
    }

    // K9
    @Test func `a start with lower limits than before announces what it removes a minute before`() async throws {
        let journal = try await imported(30)
        let kept = { try await journal.runs(RunQuery(limit: 100)).runs.count }
        var clock = VirtualClock()
        let first = try await board(journal, clock) { _ in }
        await look(1, clock)
        await first.shutdown()
        clock = VirtualClock()
        let second = try await board(journal, clock, hour: 2) { $0.standard.maximumRuns = 10 }
        await clock.sleepers(1)
        #expect(second.announcedRemoval.value?.runs == 20)
        // Each look prunes what belongs to stores.
        let looks = journal.prunes
        clock.advance(by: .seconds(59))
        await clock.sleepers(1)
        #expect(journal.prunes == looks)
        #expect(try await kept() == 30)
        clock.advance(by: .seconds(1))
        try await until { try await kept() == 10 }
        await second.shutdown()
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
        try await until { pair.second.announcedRemoval.value?.runs == 2 }
        #expect(await pair.cluster.journal.runs(RunQuery(limit: 10)).runs.count == 3)
        try await pair.beats { pair.second.announcedRemoval.value == nil }
        try await until { await pair.cluster.journal.runs(RunQuery(limit: 10)).runs.count == 1 }
        await pair.shutdown()
    }
}

extension RetentionPlan {
    /// Looks with limits that do not change, an hour after the look before.
    fileprivate mutating func look(
        _ forecast: RetentionForecast, head: SequenceNumber, newest: Timestamp?, now: Timestamp
    ) -> Decision {
        look(forecast, RetentionPolicy(), head: head, newest: newest, now: now, running: 3_600_000)
    }
}
