import Testing
import TestSupport
import WeirAccess
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates
import WeirTelemetry
@testable import WeirBoards

/// Starts by the clock, over restarts of the process and mistakes of what is started.
@Suite(.timeLimit(.minutes(15))) struct SchedulerTests {
    private static let begin = Timestamp("2026-11-22T10:00:00Z") ?? Timestamp(milliseconds: 0)

    /// A process that starts nothing but notes what it was asked for.
    private final class Process: Sendable {
        let clock = VirtualClock()
        let log = CapturedLog()
        let registry = MetricsRegistry()
        let scheduler: Scheduler
        let asked = MutableStateFlow<[String]>([])
        let answer = Locked<BoardError?>(nil)

        init(_ journal: any Journal, at offset: Int64 = 0) {
            let clock = clock
            scheduler = Scheduler(
                journal: journal, metrics: registry,
                now: {
                    SchedulerTests.begin.after(offset + Int64(clamping: clock.now.offset.components.seconds) * 1_000)
                },
                clock: clock, logger: log.logger)
        }

        func begin(_ starts: [String: ScheduledStart]) async throws {
            await scheduler.begin(starts, known: try await scheduler.kept()) {
                [self] operation, input, key throws(BoardError) in
                asked.update { $0 + [key] }
                if let error = answer.withLock({ $0 }) { throw error }
                return StartReceipt(run: "run-of-\(operation)", sequence: 1, isNew: true)
            }
            await clock.sleepers(1)
        }

        /// Lets time pass in steps no longer than the scheduler sleeps.
        func pass(_ seconds: Int64) async {
            for _ in 0..<(seconds / 30) {
                clock.advance(by: .seconds(30))
                await clock.sleepers(1)
            }
        }
    }

    private func start(_ cron: String, _ catchUp: String = "once") throws -> [String: ScheduledStart] {
        ["backup": ScheduledStart(try Schedule(cron: cron, catchUp: catchUp), input: ["label": "x"])]
    }

    @Test func `a time starts its operation under a key of both`() async throws {
        let process = Process(MemoryJournal())
        try await process.begin(start("*/15 * * * *"))
        await process.pass(1_830)
        #expect(
            process.asked.value == [
                "schedule/backup/2026-11-22T10:15:00.000Z", "schedule/backup/2026-11-22T10:30:00.000Z",
            ])
        let standing = try #require(process.scheduler.schedule(of: "backup")?.standing)
        #expect(standing.last?.run == "run-of-backup")
        #expect(standing.last?.time.description == "2026-11-22T10:30:00.000Z")
        process.scheduler.stop()
    }

    @Test func `a server whose next start is far away looks at the clock twice a minute, and not all the time`()
        async throws
    {
        let process = Process(MemoryJournal())
        try await process.begin(start("*/15 * * * *"))
        process.clock.advance(by: .seconds(29))
        #expect(process.clock.sleepers.value == 1)
        process.scheduler.stop()
    }

    @Test func `times that are skipped before the schedules begin are not made up for`() async throws {
        let journal = MemoryJournal()
        let first = Process(journal)
        try await first.begin(start("*/15 * * * *"))
        first.scheduler.stop()
        let second = Process(journal, at: 3_600_000 + 300_000)
        try await second.scheduler.skipMissed()
        try await second.begin(start("*/15 * * * *"))
        await second.pass(600)
        #expect(second.asked.value == ["schedule/backup/2026-11-22T11:15:00.000Z"])
        second.scheduler.stop()
    }

    // S3, S4
    @Test func `a server that was stopped for three times makes up for them once`() async throws {
        let journal = MemoryJournal()
        let first = Process(journal)
        try await first.begin(start("*/15 * * * *"))
        await first.pass(900)
        first.scheduler.stop()
        let second = Process(journal, at: 3_600_000 + 300_000)
        try await second.begin(start("*/15 * * * *"))
        #expect(second.asked.value == ["schedule/backup/2026-11-22T11:00:00.000Z"])
        let standing = try #require(second.scheduler.schedule(of: "backup")?.standing)
        #expect(standing.missed?.count == 2)
        #expect(standing.missed?.newest.description == "2026-11-22T10:45:00.000Z")
        #expect(second.log.lines.contains { $0.contains("missed") && $0.contains("count=2") }, "\(second.log.lines)")
        let metrics = second.registry.text(.prometheus).split(separator: "\n")
        #expect(metrics.contains(#"weir_schedule_missed_total{operation="backup"} 2"#))
        #expect(metrics.contains(#"weir_schedule_refused_total{operation="backup"} 0"#))
        // The time of 11:00 was started at 11:05.
        #expect(metrics.contains("weir_schedule_lateness_seconds_sum 300"))
        second.scheduler.stop()
    }

    // S4
    @Test func `a start that is refused is told, and the next time comes`() async throws {
        let process = Process(MemoryJournal())
        process.answer.withLock { $0 = BoardError(.busy, Message(verbatim: "A run is going.")) }
        try await process.begin(start("*/15 * * * *"))
        await process.pass(930)
        let standing = try #require(process.scheduler.schedule(of: "backup")?.standing)
        #expect(standing.last?.run == nil)
        #expect(standing.last?.refusal == "A run is going.")
        #expect(process.log.lines.contains { $0.contains("refused") && $0.contains("A run is going.") })
        process.answer.withLock { $0 = nil }
        await process.pass(900)
        #expect(process.asked.value.count == 2)
        #expect(process.scheduler.schedule(of: "backup")?.standing.last?.run == "run-of-backup")
        process.scheduler.stop()
    }

    @Test func `a start whose choices are still being read is tried again until they are known`() async throws {
        let process = Process(MemoryJournal())
        let pending = InputMistake(field: "table", message: Message(InputWording.choicePending))
        process.answer.withLock { $0 = .invalidInput(InputMistakes([pending])) }
        try await process.begin(start("*/15 * * * *"))
        for _ in 0..<30 {
            process.clock.advance(by: .seconds(30))
            await process.clock.sleepers(1)
        }
        try await until { process.asked.value.count == 1 }
        await process.clock.sleepers(2)
        #expect(process.scheduler.schedule(of: "backup")?.standing.last == nil)
        process.answer.withLock { $0 = nil }
        process.clock.advance(by: .seconds(1))
        try await until { process.scheduler.schedule(of: "backup")?.standing.last?.run == "run-of-backup" }
        #expect(Set(process.asked.value).count == 1)
        process.scheduler.stop()
    }

    // S2
    @Test func `a time that comes while the server shuts down is left to the next process`() async throws {
        let journal = MemoryJournal()
        let first = Process(journal)
        first.answer.withLock { $0 = .shuttingDown }
        try await first.begin(start("*/15 * * * *"))
        await first.pass(900)
        #expect(first.asked.value.count == 1)
        first.scheduler.stop()
        let second = Process(journal, at: 930_000)
        try await second.begin(start("*/15 * * * *"))
        #expect(second.asked.value == first.asked.value)
        second.scheduler.stop()
    }

    // S5
    @Test func `a pause is kept over a restart, with who and when`() async throws {
        let journal = MemoryJournal()
        let first = Process(journal)
        try await first.begin(start("*/15 * * * *", "all"))
        try await first.scheduler.pause("backup", by: "Ana")
        try await first.scheduler.pause("backup", by: "Bob")
        first.scheduler.stop()
        let second = Process(journal, at: 7_200_000)
        try await second.begin(start("*/15 * * * *", "all"))
        await second.pass(1_800)
        #expect(second.asked.value.isEmpty)
        let pause = try #require(second.scheduler.schedule(of: "backup")?.standing.pause)
        #expect(pause.by == "Ana")
        #expect(pause.at == Self.begin)
        try await second.scheduler.pause("backup", by: nil)
        await second.clock.sleepers(1)
        await second.pass(900)
        #expect(second.asked.value == ["schedule/backup/2026-11-22T12:45:00.000Z"])
        second.scheduler.stop()
    }

    @Test func `a pause that cannot be recorded is refused and changes nothing`() async throws {
        let journal = JournalDouble()
        let process = Process(journal)
        try await process.begin(start("*/15 * * * *"))
        journal.noteError = JournalError(.unavailable, "The disk is full.")
        await #expect(throws: JournalError.self) { try await process.scheduler.pause("backup", by: "Ana") }
        #expect(process.scheduler.schedule(of: "backup")?.standing.pause == nil)
        process.scheduler.stop()
    }

    @Test(arguments: ["", "{", "[]", #"{"backup":{"schedule":1}}"#, #"{"backup":{"schedule":"x","considered":"y"}}"#])
    func `a note that cannot be read is told, and the schedules begin anew`(text: String) async throws {
        let journal = MemoryJournal()
        await journal.setNote(Scheduler.note, text)
        let process = Process(journal)
        try await process.begin(start("*/15 * * * *", "all"))
        #expect(process.log.lines.contains { $0.hasPrefix("error") && $0.contains("cannot be read") })
        await process.pass(900)
        #expect(process.asked.value.count == 1)
        process.scheduler.stop()
    }

    // MARK: On a board

    private func board(
        _ journal: any Journal, _ clock: VirtualClock, at offset: Int64 = 0,
        reentry: ReentryPolicy = .concurrent, input: JSONValue = ["label": "nightly"]
    ) async throws -> Board {
        var catalog = Catalog()
        catalog.add(
            TestOperation.quick, id: "backup", title: "Back up", summary: "A test.", reentry: reentry,
            schedule: try Schedule(cron: "0 3 * * *", timezone: "Europe/Lisbon"), scheduledInput: input)
        catalog.add(TestOperation.quick, id: "manual", title: "Manual", summary: "A test.")
        var configuration = Board.Configuration()
        configuration.journalCheckInterval = nil
        configuration.retention = nil
        return try await Board.open(
            catalog: catalog, journal: journal, configuration: configuration,
            now: {
                Self.begin.after(offset + Int64(clamping: clock.now.offset.components.seconds) * 1_000)
            }, clock: clock)
    }

    // S2
    @Test func `a run that a schedule starts is an ordinary run, with its input and the schedule as its actor`()
        async throws
    {
        let journal: any Journal = MemoryJournal()
        let first = try await board(journal, VirtualClock())
        #expect(first.schedules().map(\.operation) == ["backup"])
        #expect(try first.schedule(of: "backup").upcoming.first?.description == "2026-11-23T03:00:00.000Z")
        await first.shutdown()
        for offset in [3, 3, 4] {
            // Three days later, the same again, and a day after that: one start for each stop.
            let next = try await board(journal, VirtualClock(), at: Int64(offset) * 86_400_000)
            let key = ScheduledStart.key(of: "backup", at: Timestamp("2026-11-\(22 + offset)T03:00:00Z") ?? Self.begin)
            let ended = Deferred<Bool>()
            let look = { @Sendable (_: SequenceNumber) in
                let run = next.view().operation("backup")?.latest?.record
                if run?.opening.idempotencyKey == key, run?.endedAt != nil { ended.resolve(true) }
            }
            let observation = next.feed.observe(.operation("backup"), after: 0, onPublish: look)
            _ = await ended.value()
            observation.cancel()
            let run = try await journal.run(idempotencyKey: key, operation: "backup", actor: "schedule")
            #expect(run?.opening.input == ["label": "nightly"])
            #expect(run?.opening.actor == ScheduledStart.actor)
            await next.shutdown()
        }
        #expect(try await journal.runs(RunQuery(limit: 10)).runs.count == 2)
    }

    @Test func `an input that does not fit is a problem of the catalog`() async throws {
        var catalog = Catalog()
        catalog.add(
            TestOperation.quick, id: "backup", title: "Back up", summary: "A test.",
            schedule: try Schedule(every: "1h"), scheduledInput: ["lable": "x"])
        #expect(catalog["backup"]?.problems.first?.contains("lable") == true)
    }

    @Test func `what has no schedule is told so`() async throws {
        let board = try await board(MemoryJournal(), VirtualClock())
        await #expect(throws: BoardError.self) { try await board.pauseSchedule(of: "manual", actor: "Ana") }
        #expect(throws: BoardError.self) { try board.schedule(of: "nothing") }
        #expect(try await board.pauseSchedule(of: "backup", actor: "Ana").upcoming.isEmpty)
        #expect(try await board.resumeSchedule(of: "backup").standing.pause == nil)
        await board.shutdown()
    }

    @Test func `an audience sees the schedules of its operations, and pauses those that it may start`() async throws {
        let board = try await board(MemoryJournal(), VirtualClock())
        let sees = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see], operations: ["backup"], of: board))
        #expect(try await sees.schedules(on: .pages).map(\.operation) == ["backup"])
        await #expect(throws: BoardError.self) { try await sees.pauseSchedule(of: "backup", actor: "Ana") }
        let other = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see, .start], operations: ["manual"], of: board))
        #expect(try await other.schedules(on: .pages).isEmpty)
        do {
            _ = try await other.pauseSchedule(of: "backup", actor: "Ana")
            Issue.record("paused what may not be seen")
        } catch {
            #expect(error.code == .unknownOperation)
        }
        #expect(try board.schedule(of: "backup").standing.pause == nil)
        await board.shutdown()
    }
}
