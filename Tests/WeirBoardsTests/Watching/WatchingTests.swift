import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct WatchingTests {
    func machine(rolloverAfter: Int64 = 100) -> WatchMachine {
        WatchMachine(["iss": .seconds(5)], rolloverAfter: rolloverAfter)
    }

    // G5
    @Test func `the first viewer starts, the last one leaving ends after the grace`() {
        var machine = machine()
        #expect(machine.watch(["iss"]) == [.start("iss")])
        #expect(machine.watch(["iss"]) == [])
        #expect(machine.started("iss", run: "a") == nil)
        #expect(machine.release(["iss"]) == [])
        guard case .arm("iss", let timer, .seconds(5)) = machine.release(["iss"]).first else {
            return #expect(Bool(false))
        }
        #expect(machine.elapsed("iss", timer: timer) == .cancel(run: "a", .unwatched))
        #expect(machine.ended("iss", run: "a", .cancelled) == nil)
        #expect(machine.watch(["iss"]) == [.start("iss")])
    }

    // G5
    @Test func `a viewer who comes within the grace keeps the run`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        _ = machine.started("iss", run: "a")
        guard case .arm(_, let timer, _) = machine.release(["iss"]).first else { return #expect(Bool(false)) }
        #expect(machine.watch(["iss"]) == [])
        #expect(machine.elapsed("iss", timer: timer) == nil)
    }

    // G5
    @Test func `a viewer who comes while the run is being ended is given a new one`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        _ = machine.started("iss", run: "a")
        guard case .arm(_, let timer, _) = machine.release(["iss"]).first else { return #expect(Bool(false)) }
        _ = machine.elapsed("iss", timer: timer)
        #expect(machine.watch(["iss"]) == [])
        #expect(machine.ended("iss", run: "a", .cancelled) == .start("iss"))
    }

    @Test func `a run that fails is started again after pauses that double, and at once for new viewers`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        for (run, pause) in [("a", 1), ("b", 2), ("c", 4)] {
            _ = machine.started("iss", run: run)
            guard case .arm("iss", let timer, .seconds(pause)) = machine.ended("iss", run: run, .failed) else {
                return #expect(Bool(false))
            }
            #expect(machine.elapsed("iss", timer: timer) == .start("iss"))
        }
        _ = machine.started("iss", run: "d")
        _ = machine.ended("iss", run: "d", .failed)
        _ = machine.release(["iss"])
        #expect(machine.watch(["iss"]) == [.start("iss")])
    }

    @Test func `a run that ended before it was known to have begun is not waited for`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        #expect(machine.ended("iss", run: "a", .failed) == nil)
        guard case .arm = machine.started("iss", run: "a") else { return #expect(Bool(false)) }
    }

    @Test func `a run that has become long is ended and followed by a new one`() {
        var machine = machine(rolloverAfter: 10)
        _ = machine.watch(["iss"])
        _ = machine.started("iss", run: "a")
        #expect(machine.recorded("iss", run: "a", revision: 9) == nil)
        #expect(machine.recorded("iss", run: "a", revision: 10) == .cancel(run: "a", WatchMachine.rolledOver))
        #expect(machine.recorded("iss", run: "a", revision: 11) == nil)
        #expect(machine.ended("iss", run: "a", .cancelled) == .start("iss"))
    }

    @Test func `a run started by hand takes the place of the one that goes on, and ends when nobody watches`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        _ = machine.started("iss", run: "a")
        #expect(machine.adopt("iss", run: "b") == [.cancel(run: "a", .replaced)])
        #expect(machine.ended("iss", run: "a", .cancelled) == nil)
        guard case .arm(_, let timer, _) = machine.release(["iss"]).first else { return #expect(Bool(false)) }
        #expect(machine.elapsed("iss", timer: timer) == .cancel(run: "b", .unwatched))
    }

    // G5
    @Test func `a run that begins when another has been started by hand meanwhile is cancelled`() {
        var machine = machine()
        #expect(machine.watch(["iss"]) == [.start("iss")])
        #expect(machine.adopt("iss", run: "b") == [])
        #expect(machine.started("iss", run: "a") == .cancel(run: "a", .replaced))
        #expect(machine.ended("iss", run: "a", .cancelled) == nil)
        #expect(machine["iss"]?.stage == .running("b"))
    }

    // G5
    @Test func `a run that was joined, by hand or by watching, is not cancelled by news of it`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        #expect(machine.adopt("iss", run: "a") == [] && machine.started("iss", run: "a") == nil)
        #expect(machine.adopt("iss", run: "a") == [] && machine["iss"]?.stage == .running("a"))
        _ = machine.ended("iss", run: "a", .failed)
        #expect(machine.adopt("iss", run: "a") == [])
        #expect(machine["iss"]?.stage == .waiting, "a run that has ended is taken for one that goes on")
    }

    @Test func `only the newest timer is heard`() {
        var machine = machine()
        _ = machine.watch(["iss"])
        _ = machine.started("iss", run: "a")
        guard case .arm(_, let first, _) = machine.ended("iss", run: "a", .failed) else { return #expect(Bool(false)) }
        #expect(machine.elapsed("iss", timer: first) == .start("iss"))
        _ = machine.started("iss", run: "b")
        guard case .arm(_, let second, _) = machine.ended("iss", run: "b", .failed) else { return #expect(Bool(false)) }
        #expect(second > first)
        #expect(machine.elapsed("iss", timer: first) == nil && machine.elapsed("iss", timer: second + 1) == nil)
        guard case .arm(_, let grace, _) = machine.release(["iss"]).first else { return #expect(Bool(false)) }
        #expect(grace > second)
        #expect(machine.watch(["iss"]) == [.start("iss")])
        #expect(machine.elapsed("iss", timer: second) == nil && machine.elapsed("iss", timer: grace) == nil)
    }

    // G5
    @Test func `pages of the board and of the operation share one run, which ends after the last has left`()
        async throws
    {
        let fixture = try await BoardFixture.open(["iss": .endless], lifetime: .whileWatched(stopAfter: .seconds(5)))
        let board = fixture.board.watch(.board)
        let page = fixture.board.watch(.operation("iss"))
        let begun = try await fixture.published { $0.change.state.caseName == "working" }
        #expect(begun.run?.record.opening.actor == "viewer")
        let ofRun = fixture.board.watch(.run(begun.run?.record.id ?? ""))
        #expect(fixture.board.viewers(of: .board) == 1 && fixture.board.runs.count == 1)
        board.release()
        board.release()
        page.release()
        ofRun.release()
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(5))
        let end = try await fixture.ended()
        #expect(end.change.draft.cause == "nobody was watching" && end.change.state.phase == .cancelled)
        #expect(fixture.board.view().operation("iss")?.activeRuns == 0)
        #expect(try await fixture.journal.runs(RunQuery()).runs.count == 1)
    }

    // G5
    @Test func `however often somebody looks, one task waits, until the last look is long enough ago`() async throws {
        let fixture = try await BoardFixture.open(["iss": .endless], lifetime: .whileWatched(stopAfter: .seconds(5)))
        fixture.board.watch(.board).release()
        try await fixture.published { $0.change.state.caseName == "working" }
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(3))
        for _ in 0..<100 { fixture.board.watch(.board).release() }
        fixture.clock.advance(by: .seconds(2))
        // The task has woken, for the first look, and sleeps on for the last.
        await fixture.clock.sleepers(1)
        #expect(fixture.clock.sleepers.value == 1)
        #expect(fixture.board.runs.count == 1)
        fixture.clock.advance(by: .seconds(3))
        #expect(try await fixture.ended().change.draft.cause == "nobody was watching")
        await fixture.clock.sleepers(atMost: 0)
    }

    // G5, K7
    @Test func `a journal that fails does not keep what is watched from running`() async throws {
        let gate = Gate()
        let done = Gate()
        let fixture = try await BoardFixture.open(
            [
                "vitals": TestOperation { _, state in
                    state.value = .working(step: 1)
                    try await gate.pass()
                    for step in 2...5_000 { state.value = .working(step: step) }
                    done.open()
                    try await Gate().pass()
                }
            ], lifetime: .whileWatched())
        let watch = fixture.board.watch(.board)
        try await fixture.published { $0.change.state.caseName == "working" }
        fixture.journal.error = JournalError(.full, "The disk is full.")
        gate.open()
        try await done.pass()
        #expect(fixture.board.runs.count == 1 && fixture.board.recorder.backlog <= 2)
        fixture.journal.error = nil
        watch.release()
    }

    @Test func `a long run rolls over while it is watched, with its cause told`() async throws {
        let fixture = try await BoardFixture.open(
            [
                "vitals": TestOperation { _, state in
                    for step in 0..<20 {
                        state.value = .working(step: step)
                        state.value = .resting(step: step)
                    }
                    try await Gate().pass()
                }
            ], lifetime: .whileWatched()
        ) {
            $0.retention = nil
            $0.rolloverAfter = 30
        }
        let watch = fixture.board.watch(.board)
        let end = try await fixture.ended()
        #expect(end.change.draft.cause == "rolled over")
        try await fixture.published(after: end.change.sequence) { $0.change.draft.opening != nil }
        watch.release()
    }

    @Test func `whoever looks at a board that has shut down starts nothing, and nobody complains`() async throws {
        let log = CapturedLog()
        let fixture = try await BoardFixture.open(
            ["vitals": .endless], lifetime: .whileWatched(), logger: log.logger)
        let watch = fixture.board.watch(.board)
        try await fixture.published { $0.change.state.caseName == "working" }
        await fixture.board.shutdown()
        let late = fixture.board.watch(.operation("vitals"))
        watch.release()
        late.release()
        fixture.board.watch(.board).release()
        #expect(fixture.board.runs.count == 0)
        #expect(log.lines.filter { $0.contains("could not start") } == [])
    }

    // G5, K12
    @Test func `what somebody looks at goes on at a server that takes the place of another`() async throws {
        let pair = try await BoardPair { catalog, _ in
            catalog.add(TestOperation.endless, id: "iss", title: "iss", summary: "A test.", lifetime: .whileWatched())
        }
        let watch = pair.second.watch(.operation("iss"))
        #expect(pair.second.runs.count == 0)
        pair.journals[0].isDead.withLock { $0 = true }
        try await pair.beats { pair.second.currentRole.value == .recording }
        // It says again that it is there once it has begun all that it is to do.
        try await pair.beat()
        #expect(pair.second.runs.count == 1)
        watch.release()
        await pair.shutdown()
    }

    @Test func `a server names to the others only what somebody looks at there`() async throws {
        let fixture = try await BoardFixture.open(
            ["iss": .endless, "vitals": .endless], lifetime: .whileWatched())
        #expect(fixture.board.watching.watched.isEmpty)
        let page = fixture.board.watch(.operation("iss"))
        #expect(fixture.board.watching.watched == ["iss"])
        page.release()
        #expect(fixture.board.watching.watched.isEmpty)
        await fixture.board.shutdown()
    }
}
