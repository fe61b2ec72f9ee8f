import Testing
import TestSupport
import WeirFlows
@testable import WeirJournals
import WeirOperations
import WeirStates
@testable import WeirBoards

/// Commands at a server that follows: the one that records carries them out, once or not at all.
@Suite(.timeLimit(.minutes(15))) struct HandedCommandTests {
    // K2, K12
    @Test func `a run that is started at a following server is carried out by the other, and shown by both`()
        async throws
    {
        let pair = try await BoardPair()
        let receipt = try await pair.second.start(
            "job", input: ["label": "here"], actor: "anna", idempotencyKey: "key")
        let sequence = try #require(receipt.sequence)
        #expect(receipt.isNew)
        #expect(pair.second.feed.head(of: .board) >= sequence)
        let record = try await pair.second.run(receipt.run)
        #expect((record.opening.actor, record.opening.input["label"]) == ("anna", "here"))
        #expect(try await pair.first.run(receipt.run).opening == record.opening)
        let again = try await pair.first.start(
            "job", input: ["label": "here"], actor: "anna", idempotencyKey: "key")
        #expect((again.run, again.isNew) == (receipt.run, false))
        let reused = await refusal { () throws(BoardError) in
            _ = try await pair.second.start(
                "job", input: ["label": "other"], actor: "anna", idempotencyKey: "key")
        }
        #expect(reused?.code == .keyReused)
        await pair.shutdown()
    }

    @Test func `a run is cancelled and started again from a following server`() async throws {
        let pair = try await BoardPair(.endless)
        let receipt = try await pair.first.start("job", input: [:], actor: "anna")
        await pair.second.shown(try #require(receipt.sequence))
        let early = await refusal { () throws(BoardError) in
            _ = try await pair.second.retry(receipt.run, actor: "vera")
        }
        #expect(early?.code == .stillRunning)
        _ = try await pair.second.cancel(receipt.run, actor: "vera")
        #expect(try await pair.second.run(receipt.run).state.phase == .cancelled)
        let late = await refusal { () throws(BoardError) in
            _ = try await pair.second.cancel(receipt.run, actor: "vera")
        }
        #expect(late?.code == .alreadyEnded)
        let retry = try await pair.second.retry(receipt.run, input: ["label": "again"], actor: "vera")
        let record = try await pair.second.run(retry.run)
        #expect((record.opening.retryOf, record.opening.actor) == (receipt.run, "vera"))
        let noStep = await refusal { () throws(BoardError) in
            _ = try await pair.second.decide(retry.run, step: "x", isApproved: true, actor: "vera")
        }
        #expect(noStep?.code == .notAsking)
        await pair.shutdown()
    }

    @Test func `a store takes actions and states from a following server`() async throws {
        let pair = try await BoardPair()
        func count() throws -> Int64? {
            let view: StoreView = try pair.second.store("tally")
            guard case .integer(let count) = view.state.payload["count"] else { return nil }
            return count
        }
        let receipt = try await pair.second.dispatch(["type": "add", "step": 3], to: "tally", actor: "anna")
        #expect(try count() == 3)
        #expect(try pair.second.store("tally").log.first?.step.actor == "anna")
        _ = try await pair.second.rehydrate(
            "tally", state: ["counting": ["count": 40]], actor: "anna", idempotencyKey: "once")
        _ = try await pair.second.rehydrate(
            "tally", state: ["counting": ["count": 40]], actor: "anna", idempotencyKey: "once")
        #expect(try count() == 40)
        _ = try await pair.second.returnTo("tally", sequence: try #require(receipt.sequence), actor: "anna")
        #expect(try count() == 3)
        _ = try await pair.second.reset("tally", actor: "anna")
        #expect(try count() == 0)
        #expect(try pair.second.store("tally").revision == 4)
        let refused = await refusal { () throws(BoardError) in
            _ = try await pair.second.rehydrate("tally", state: ["strange": [:]], actor: "anna")
        }
        #expect(refused?.code == .invalidInput)
        await pair.shutdown()
    }

    @Test func `a schedule is paused from a following server, and goes on`() async throws {
        let pair = try await BoardPair()
        let paused = try await pair.second.pauseSchedule(of: "nightly", actor: "anna")
        #expect(paused.standing.pause?.by == "anna")
        #expect(try pair.first.schedule(of: "nightly").standing.pause?.by == "anna")
        #expect(try await pair.second.resumeSchedule(of: "nightly").standing.pause == nil)
        #expect(try pair.first.schedule(of: "nightly").standing.pause == nil)
        await pair.shutdown()
    }

    @Test func `a failure is acknowledged from a following server, until a success`() async throws {
        let outcome = Locked(TestState.error(message: "No."))
        let pair = try await BoardPair(TestOperation { _, state in state.value = outcome.withLock { $0 } })
        func end() async throws {
            let run = try await pair.first.start("job", input: [:], actor: "anna").run
            await pair.first.outcome(of: run)
            try await pair.second.recorder.follower.catchUp()
        }
        try await end()
        let made = try await pair.second.acknowledge("job", note: "Known.", until: nil, actor: "anna")
        #expect(pair.first.acknowledgements.current.value == ["job": made])
        #expect(pair.second.acknowledgements.current.value == ["job": made])
        outcome.withLock { $0 = .success(text: "") }
        try await end()
        try await until { pair.first.acknowledgements.current.value.isEmpty }
        let refused = await refusal { () throws(BoardError) in
            _ = try await pair.second.acknowledge("job", note: nil, until: nil, actor: "anna")
        }
        #expect(refused?.code == .nothingToAcknowledge)
        await pair.shutdown()
    }

    @Test func `a notice is dismissed from a following server`() async throws {
        let pair = try await BoardPair()
        let notice = JournalNotice(.lost, at: Timestamp(milliseconds: 1), lost: nil)
        pair.cluster.notices = [notice]
        #expect(try await pair.second.dismissNotice(notice.id))
        #expect(pair.cluster.notices.isEmpty)
        #expect(try await pair.second.dismissNotice(notice.id) == false)
        await pair.shutdown()
    }

    // K12
    @Test func `twenty commands at once from two servers are each carried out once`() async throws {
        let pair = try await BoardPair()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let board = number.isMultiple(of: 2) ? pair.first : pair.second
                group.addTask {
                    _ = try await board.start(
                        "job", input: [:], actor: "actor \(number)", idempotencyKey: "key")
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try await pair.actors()) == Set((0..<20).map { "actor \($0)" }))
        #expect(try await pair.actors().count == 20)
        await pair.shutdown()
    }

    @Test func `a command that nobody takes is withdrawn, and never carried out`() async throws {
        let pair = try await BoardPair(hears: false)
        await pair.first.shutdown()
        let answer = Deferred<BoardError?>()
        Task {
            answer.resolve(
                await refusal { () throws(BoardError) in
                    _ = try await pair.second.start("job", input: [:], actor: "anna")
                })
        }
        try await until { await pair.cluster.commands.count > 0 }
        // The next beat, and the wait for the answer. In one step: in ten beats it would take the place of the first.
        await pair.clock.sleepers(2)
        pair.clock.advance(by: CommandSender.patience)
        let error = try #require(await answer.value() ?? nil)
        #expect(error.code == .unavailable)
        #expect(error.description.contains("nothing was done"))
        // The next server that records finds nothing to do.
        await pair.cluster.takeOver("c")
        #expect(try await pair.cluster.commands.server("c").claimCommands(of: ["b"], limit: 10) == [])
        await pair.second.shutdown()
    }

    @Test func `of a command that was taken and not answered it is said that nobody knows`() async throws {
        let pair = try await BoardPair(hears: false)
        await pair.first.shutdown()
        let answer = Deferred<BoardError?>()
        Task {
            answer.resolve(
                await refusal { () throws(BoardError) in
                    _ = try await pair.second.start("job", input: [:], actor: "anna")
                })
        }
        let claimant = pair.cluster.commands.server("a")
        try await until { try await !claimant.claimCommands(of: ["b"], limit: 1).isEmpty }
        // Another server takes the place of the one that claimed it: the answer comes at once.
        await pair.cluster.takeOver("c")
        pair.cluster.ring()
        let error = try #require(await answer.value() ?? nil)
        #expect(error.code == .outcomeUnknown)
        #expect(error.description.contains("same idempotency key"))
        await pair.second.shutdown()
    }

    @Test func `a command that may not have been handed over is withdrawn`() async throws {
        let pair = try await BoardPair(hears: false)
        pair.cluster.handError = JournalError(.unavailable, "The connection was lost.")
        let first = await refusal { () throws(BoardError) in
            _ = try await pair.second.start("job", input: [:], actor: "anna")
        }
        #expect(first?.code == .unavailable)
        try await pair.hear()
        #expect(try await pair.actors() == [])
        await pair.shutdown()
    }

    @Test(arguments: [JournalError.Code.full, .readOnly])
    func `a command that the database refuses is not carried out, and the server says that nothing is recorded`(
        code: JournalError.Code
    ) async throws {
        let pair = try await BoardPair(hears: false)
        pair.cluster.handError = JournalError(code, "The database takes nothing.")
        let error = await refusal { () throws(BoardError) in
            _ = try await pair.second.start("job", input: [:], actor: "anna")
        }
        #expect(error?.code == .unavailable)
        #expect(error?.description.contains("The database takes nothing.") == true)
        #expect(pair.log.lines.contains { $0.contains("Not recording: The database takes nothing.") })
        pair.cluster.handError = nil
        try await pair.hear()
        #expect(try await pair.actors() == [])
        await pair.shutdown()
    }

    @Test func `what cannot be handed over is refused where it was asked`() async throws {
        let pair = try await BoardPair()
        let unknown = await refusal { () throws(BoardError) in
            _ = try await pair.second.start("other", input: [:], actor: "anna")
        }
        #expect(unknown?.code == .unknownOperation)
        let mistaken = await refusal { () throws(BoardError) in
            _ = try await pair.second.start("job", input: ["strange": 1], actor: "anna")
        }
        #expect(mistaken?.fields.map(\.field) == ["strange"])
        let tooLong = await refusal { () throws(BoardError) in
            let text = JSONValue.string(String(repeating: "x", count: CommandSender.byteLimit))
            _ = try await pair.second.rehydrate("tally", state: text, actor: "anna")
        }
        #expect(tooLong?.code == .overloaded)
        #expect(await pair.cluster.commands.count == 0)
        await pair.shutdown()
    }

    @Test func `a following server that stops withdraws what waits`() async throws {
        let pair = try await BoardPair(hears: false)
        await pair.first.shutdown()
        let answer = Deferred<BoardError?>()
        Task {
            answer.resolve(
                await refusal { () throws(BoardError) in
                    _ = try await pair.second.start("job", input: [:], actor: "anna")
                })
        }
        try await until { await pair.cluster.commands.count > 0 }
        await pair.second.shutdown()
        #expect(await answer.value() ?? nil != nil)
        await pair.cluster.takeOver("c")
        #expect(try await pair.cluster.commands.server("c").claimCommands(of: ["b"], limit: 10) == [])
        let late = await refusal { () throws(BoardError) in
            _ = try await pair.second.start("job", input: [:], actor: "anna")
        }
        #expect(late?.code == .shuttingDown)
    }

    @Test func `what only the recording server does is refused with that server's name, whoever else is there`()
        async throws
    {
        let pair = try await BoardPair(hears: false)
        _ = pair.cluster.beat("0", NodeStanding())
        try await pair.hear()
        let error = await refusal { () throws(BoardError) in _ = try await pair.second.importRuns { { nil } } }
        #expect(error?.code == .unavailable)
        #expect(error?.description.contains("server a") == true)
        await pair.shutdown()
    }

    @Test func `a server that shares its journal with nobody is the one that records`() async throws {
        let fixture = try await BoardFixture.open()
        #expect(fixture.board.isRecording && fixture.board.nodes.isEmpty)
        await fixture.board.shutdown()
    }

    @Test func `a server that does not hear from the others says so, until it does`() async throws {
        let pair = try await BoardPair()
        pair.journals[1].isDead.withLock { $0 = true }
        try await pair.beats { pair.second.recording != .recording }
        #expect(pair.first.recording == .recording)
        pair.journals[1].isDead.withLock { $0 = false }
        try await pair.beats { pair.second.recording == .recording }
        await pair.shutdown()
    }
}
