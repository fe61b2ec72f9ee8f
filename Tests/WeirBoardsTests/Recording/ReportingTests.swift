import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15)))
struct ReportingTests {
    private func opening(_ run: String, by actor: String = "anna") -> Report {
        Report(
            run: run, operation: "deploy", reporter: actor,
            opening: RunOpening(actor: actor, input: [:], report: RunReport(title: nil)))
    }

    private func state(_ run: String, _ name: String, number: SequenceNumber? = nil) -> Report {
        Report(
            run: run, operation: "deploy", reporter: "anna",
            entries: [.state(StateRecord(caseName: name, phase: .active)), .line(name, .standardOutput)],
            producer: number.map { ProducerStamp(id: "p", epoch: 0, number: $0) })
    }

    private func open(
        on journal: JournalDouble = JournalDouble(), clock: VirtualClock = VirtualClock(),
        wall: MutableStateFlow<Int64>? = nil, configure: (inout Board.Configuration) -> Void = { _ in }
    ) async throws -> BoardFixture {
        try await BoardFixture.open(on: journal, clock: clock, wall: wall) { configuration in
            configuration.retention = nil
            configuration.reportsUndeclared = true
            configure(&configuration)
        }
    }

    @Test func `what is reported is recorded and shown before the reporter is answered`() async throws {
        let fixture = try await open()
        #expect(try await fixture.board.report(opening("a")).outcome == .taken)
        // Whoever waits for its lines waits here, and not at the journal.
        #expect(fixture.board.feed.output(of: "a")?.head == 0)
        let reads = fixture.journal.reads
        let receipt = try await fixture.board.report(state("a", "push"))
        #expect(fixture.journal.reads == reads, "what it was just told is read from the journal again")
        #expect(fixture.board.feed.head(of: .run("a")) == receipt.place?.sequence)
        #expect(fixture.board.feed.output(of: "a")?.head == 1)
        #expect(try await fixture.board.run("a").state.caseName == "push")
        await fixture.board.shutdown()
    }

    @Test func `those who watch a run's lines hear of their end, though no line comes`() async throws {
        let fixture = try await open()
        _ = try await fixture.board.report(opening("a"))
        _ = try await fixture.board.report(state("a", "push"))
        let heard = Locked<[SequenceNumber]>([])
        let observation = fixture.board.feed.observe(.output("a")) { head in heard.withLock { $0.append(head) } }
        defer { observation.cancel() }
        let end = Report(run: "a", operation: "deploy", reporter: "anna", ending: .closed(nil))
        for _ in 0..<2 { _ = try await fixture.board.report(end) }
        #expect(fixture.board.feed.output(of: "a")?.isClosed == true)
        #expect(heard.withLock { $0 } == [1])
        await fixture.board.shutdown()
    }

    @Test func `reports that come while one is recorded go together with the next`() async throws {
        let fixture = try await open()
        for run in 0..<20 { _ = try await fixture.board.report(opening("r\(run)")) }
        let before = fixture.journal.reports.count
        fixture.journal.hold()
        let board = fixture.board
        try await withThrowingTaskGroup(of: Void.self) { group in
            for run in 0..<20 {
                group.addTask {
                    let report = Report(
                        run: "r\(run)", operation: "deploy", reporter: "anna",
                        entries: [.state(StateRecord(caseName: "x", phase: .active))])
                    let receipt = try await board.report(report)
                    #expect(receipt.outcome == .taken)
                }
            }
            try await until { board.reported.waiting >= 20 }
            fixture.journal.release()
            try await group.waitForAll()
        }
        #expect(fixture.journal.reports.count <= before + 3)
        #expect(fixture.journal.reports.dropFirst(before).reduce(0, +) == 20)
        await fixture.board.shutdown()
    }

    @Test func `a run of whose reporter nothing is heard is interrupted, and one that sends beats is not`() async throws
    {
        let clock = VirtualClock()
        let fixture = try await open(clock: clock)
        _ = try await fixture.board.report(opening("silent"))
        _ = try await fixture.board.report(opening("alive"))
        let beat = Report(run: "alive", operation: "deploy", reporter: "anna")
        for _ in 0..<ReportLeases.length + 2 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(3))
            _ = try await fixture.board.report(beat)
        }
        try await fixture.published(.run("silent")) { $0.change.state.phase == .interrupted }
        let late = try await fixture.board.report(state("silent", "x"))
        #expect(late.outcome == .ended)
        #expect(try await fixture.board.run("silent").cause == EndCause.silent.description)
        #expect(try await fixture.board.run("alive").endedAt == nil)
        // A beat leaves nothing behind.
        #expect(try await fixture.cases(of: .run("alive")) == ["opened"])
        await fixture.board.shutdown()
    }

    @Test func `a run's lease is as long however many other runs are reported meanwhile`() async throws {
        let clock = VirtualClock()
        let fixture = try await open(clock: clock)
        for run in ["a", "b", "c", "d"] {
            _ = try await fixture.board.report(opening(run))
            await clock.sleepers(1)
        }
        for _ in 0..<ReportLeases.length {
            clock.advance(by: .seconds(3))
            await clock.sleepers(1)
        }
        #expect(try await fixture.board.run("a").endedAt == nil)
        #expect(clock.sleepers.value == 1)
        await fixture.board.shutdown()
    }

    @Test func `a machine that slept for an hour ends no run before its reporter had time to be heard`() async throws {
        let clock = VirtualClock()
        let fixture = try await open(clock: clock)
        _ = try await fixture.board.report(opening("a"))
        let beat = Report(run: "a", operation: "deploy", reporter: "anna")
        for _ in 0..<3 {
            // One beat goes by, however long the sleep.
            await clock.sleepers(1)
            clock.advance(by: .seconds(3_600))
            await clock.sleepers(1)
            #expect(try await fixture.board.report(beat).outcome == .taken)
        }
        #expect(try await fixture.board.run("a").endedAt == nil)
        await fixture.board.shutdown()
    }

    @Test func `a clock on the wall that is set back or ahead ends no run, and messages keep their order`() async throws
    {
        let clock = VirtualClock()
        let wall = MutableStateFlow(Int64(10_000_000_000))
        let fixture = try await open(clock: clock, wall: wall)
        _ = try await fixture.board.report(opening("a"))
        var sent: [String] = []
        for (index, jump) in [0, -86_400_000, 1, 172_800_000, -3_600_000, -1].enumerated() {
            wall.value += Int64(jump)
            _ = try await fixture.board.report(state("a", "s\(index)", number: SequenceNumber(clamping: index)))
            sent += ["s\(index)", "s\(index)"]
            await clock.sleepers(1)
            clock.advance(by: .seconds(3))
        }
        let read = try await fixture.board.reports(of: "a", operation: "deploy", limit: 100).messages.map { message in
            switch message {
            case .change(let change): (change.state.caseName, change.at)
            case .line(let line): (line.text, line.at)
            }
        }
        #expect(read.map { $0.0 } == ["opened"] + sent)
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.1 <= $1.1 })
        wall.value = 0
        let end = Report(run: "a", operation: "deploy", reporter: "anna", ending: .closed(nil))
        #expect(try await fixture.board.report(end).outcome == .taken)
        let record = try await fixture.board.run("a")
        #expect(try #require(record.endedAt) >= record.startedAt)
        await fixture.board.shutdown()
    }

    @Test func `over a restart a reported run goes on, with its lines and its producers, and then its lease counts`()
        async throws
    {
        let journal = JournalDouble()
        let first = try await open(on: journal)
        _ = try await first.board.report(opening("a"))
        _ = try await first.board.report(state("a", "push", number: 0))
        await first.board.shutdown()
        let clock = VirtualClock()
        let second = try await open(on: journal, clock: clock) { $0.tailLimit = 1 }
        #expect(try await second.board.run("a").endedAt == nil)
        #expect(second.board.feed.output(of: "a")?.lines.map(\.text) == ["push"])
        #expect(second.board.view().recentRuns.map(\.record.id) == ["a"])
        #expect(try await second.board.report(state("a", "push", number: 0)).outcome == .known)
        #expect(try await second.board.report(state("a", "test", number: 1)).outcome == .taken)
        #expect(second.board.feed.output(of: "a")?.head == 2)
        let head = second.board.feed.head(of: .run("a"))
        for _ in 0..<ReportLeases.length + 1 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(3))
        }
        try await second.published(.run("a"), after: head) { $0.change.state.phase == .interrupted }
        await second.board.shutdown()
    }

    @Test func `a refusal of the journal is told, and the same request sent again counts once`() async throws {
        let journal = JournalDouble()
        let fixture = try await open(on: journal)
        _ = try await fixture.board.report(opening("a"))
        journal.error = JournalError(.full, "The disk is full.")
        await #expect(throws: BoardError.self) { try await fixture.board.report(state("a", "x", number: 0)) }
        journal.error = nil
        journal.failAfterAppending()
        await #expect(throws: BoardError.self) { try await fixture.board.report(state("a", "x", number: 0)) }
        #expect(try await fixture.board.report(state("a", "x", number: 0)).outcome == .known)
        _ = try await fixture.board.report(state("a", "y", number: 1))
        // What it took without saying so is shown all the same.
        #expect(fixture.board.feed.output(of: "a")?.lines.map(\.text) == ["x", "y"])
        #expect(try await fixture.cases(of: .run("a")) == ["opened", "x", "y"])
        #expect(fixture.board.feed.head(of: .run("a")) == 3)
        await fixture.board.shutdown()
    }

    @Test func `while reports cannot be recorded that is told to all, until one is`() async throws {
        let fixture = try await open()
        _ = try await fixture.board.report(opening("a"))
        fixture.journal.error = JournalError(.full, "The disk is full.")
        await #expect(throws: BoardError.self) { try await fixture.board.report(state("a", "x")) }
        guard case .notRecorded(_, "The disk is full.") = fixture.board.recording else {
            return #expect(Bool(false), "\(fixture.board.recording)")
        }
        fixture.journal.error = nil
        _ = try await fixture.board.report(state("a", "x"))
        #expect(fixture.board.recording == .recording)
        await fixture.board.shutdown()
    }

    @Test func `so many runs are open at a time, half of them of one reporter, and ended ones make room`() async throws
    {
        let fixture = try await open { $0.maximumReportedRuns = 4 }
        func outcome(_ run: String, by actor: String) async -> BoardError.Code? {
            do throws(BoardError) {
                _ = try await fixture.board.report(opening(run, by: actor))
                return nil
            } catch { return error.code }
        }
        #expect(await outcome("a1", by: "anna") == nil)
        #expect(await outcome("a2", by: "anna") == nil)
        #expect(await outcome("a3", by: "anna") == .limitReached)
        // Opening one again takes no other place.
        #expect(await outcome("a2", by: "anna") == nil)
        #expect(await outcome("b1", by: "ben") == nil)
        #expect(await outcome("a1", by: "ben") == nil)
        #expect(fixture.board.reported.count == 3)
        // What cannot be recorded takes no place, and gives none up.
        fixture.journal.error = JournalError(.full, "The disk is full.")
        for run in ["b2", "b1"] {
            #expect(await outcome(run, by: "ben") == .unavailable)
            #expect(fixture.board.reported.count == 3, "\(run)")
        }
        fixture.journal.error = nil
        let end = Report(run: "a1", operation: "deploy", reporter: "anna", ending: .closed(nil))
        #expect(try await fixture.board.report(end).isEnded)
        #expect(await outcome("a3", by: "anna") == nil)
        await fixture.board.shutdown()
    }

    @Test func `states and lines read back in the order in which they were sent, in pages of any length`() async throws
    {
        let fixture = try await open()
        _ = try await fixture.board.report(opening("a"))
        var sent: [String] = []
        for batch in 0..<20 {
            var entries: [Report.Entry] = []
            for index in 0..<5 {
                let name = "m\(batch)-\(index)"
                sent.append(name)
                entries.append(
                    (batch + index) % 3 == 0
                        ? .state(StateRecord(caseName: name, phase: .active)) : .line(name, .standardOutput))
            }
            _ = try await fixture.board.report(
                Report(run: "a", operation: "deploy", reporter: "anna", entries: entries))
        }
        for limit in [1, 2, 7, 1_000] {
            var read: [String] = []
            var place: ReportPlace?
            while true {
                let page = try await fixture.board.reports(of: "a", operation: "deploy", after: place, limit: limit)
                read += page.messages.map { message in
                    switch message {
                    case .change(let change): change.state.caseName
                    case .line(let line): line.text
                    }
                }
                place = page.next
                if !page.more || page.messages.isEmpty { break }
            }
            #expect(read == ["opened"] + sent, "\(limit)")
        }
        await fixture.board.shutdown()
    }
}
