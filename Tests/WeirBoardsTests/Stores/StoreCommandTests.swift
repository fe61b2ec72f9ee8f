import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates
import WeirStores

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct StoreCommandTests {
    private func steps(_ fixture: BoardFixture) async throws -> [Change] {
        try await fixture.journal.changes(of: .store("tally"), after: 0, through: nil, limit: 100_000)
    }

    @Test func `a store begins in its initial state, which is recorded once`() async throws {
        let fixture = try await BoardFixture.tally(Tally(initial: 7))
        let changes = try await steps(fixture)
        #expect(changes.map(\.revision) == [0])
        #expect(changes.first?.draft.step == StoreStep(.opened))
        #expect(changes.first?.state.payload == ["count": 7])
        let again = try await BoardFixture.tally(Tally(initial: 7), on: fixture.journal)
        #expect(try await steps(again) == changes)
        #expect(try again.board.store("tally").log.map(\.sequence) == [1])
    }

    // K2
    @Test func `an action is recorded with who took it and what it caused, and its receipt names the change`()
        async throws
    {
        let fixture = try await BoardFixture.tally()
        let receipt = try await fixture.board.dispatch(["type": "add", "step": 100], to: "tally", actor: "anna")
        #expect(receipt == StoreReceipt(store: "tally", sequence: 2))
        let change = try #require(try await steps(fixture).last)
        #expect(change.sequence == 2)
        #expect(
            change.state == StateRecord(caseName: "counting", payload: ["count": 100, "by": "anna"], phase: .active))
        let step = try #require(change.draft.step)
        #expect(step.kind == .action)
        #expect(step.actor == "anna")
        #expect(step.action?.name == "add")
        #expect(step.action?.payload["by"] == "anna")
        #expect(step.action?.payload["at"]?.string.flatMap(Timestamp.init) != nil)
        #expect(step.effects.map(\.kind) == [.toast(message: "100!"), .other(name: "log", payload: [:])])
        #expect(change.isTransition)
        let view = try fixture.board.store("tally")
        #expect(view.sequence == 2)
        #expect(view.effects.map(\.index) == [1, 0])
    }

    @Test func `what does not fit an action's form is refused field by field, and nothing is recorded`() async throws {
        let fixture = try await BoardFixture.tally()
        func refusal(_ action: JSONValue, _ store: String = "tally") async throws -> BoardError? {
            do throws(BoardError) {
                _ = try await fixture.board.dispatch(action, to: store, actor: "anna")
                return nil
            } catch {
                return error
            }
        }
        #expect(try await refusal(["type": "add", "step": 0])?.fields.map(\.field) == ["step"])
        #expect(try await refusal(["type": "add", "by": "ben"])?.fields.map(\.field) == ["by"])
        #expect(try await refusal(["type": "loaded", "count": 3])?.code == .unknownAction)
        #expect(try await refusal(["step": 3])?.code == .invalidInput)
        #expect(try await refusal("add")?.code == .invalidInput)
        #expect(try await refusal(["type": "add"], "other")?.code == .unknownStore)
        #expect(try await steps(fixture).count == 1)
        #expect(try await refusal(["type": "add"]) == nil)
    }

    // I1, K1
    @Test func `what many do at once is recorded in one order, which all are told, and nothing is left out`()
        async throws
    {
        let fixture = try await BoardFixture.tally()
        let receipts = try await withThrowingTaskGroup(of: [StoreReceipt].self) { group in
            for person in 0..<10 {
                group.addTask {
                    var receipts: [StoreReceipt] = []
                    for _ in 0..<20 {
                        receipts.append(
                            try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "p\(person)"))
                    }
                    return receipts
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let changes = try await steps(fixture)
        #expect(changes.map(\.revision) == Array(0...200))
        #expect(changes.map { $0.state.payload["count"]?.integer } == (0...200).map { Int64($0) })
        let told = receipts.map { $0.compactMap(\.sequence) }
        for own in told { #expect(own.count == 20 && own == own.sorted()) }
        #expect(Set(told.joined()) == Set(changes.dropFirst().map(\.sequence)))
        for (change, before) in zip(changes.dropFirst(), changes) {
            #expect(change.state.payload["by"]?.string == change.draft.step?.actor, "after \(before.sequence)")
        }
    }

    // I3, K6
    @Test func `steps that change nothing are recorded too, also while the journal is slow`() async throws {
        let fixture = try await BoardFixture.tally()
        fixture.journal.hold()
        let sending = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        _ = try await fixture.board.dispatch(["type": "close"], to: "tally", actor: "anna")
                    }
                }
                try await group.waitForAll()
            }
        }
        await fixture.journal.attempts(2)
        fixture.journal.release()
        try await sending.value
        let changes = try await steps(fixture)
        #expect(changes.map(\.state.caseName) == ["counting"] + Array(repeating: "closed", count: 30))
        #expect(changes.map(\.revision) == Array(0...30))
    }

    // I8
    @Test func `a state put in, one put back and a reset are each one step without effects`() async throws {
        let fixture = try await BoardFixture.tally(Tally(initial: 1))
        let board = fixture.board
        _ = try await board.dispatch(["type": "add", "step": 100], to: "tally", actor: "anna")
        _ = try await board.rehydrate("tally", state: ["closed": ["count": 5]], actor: "ben")
        let returned = try await board.returnTo("tally", sequence: 2, actor: "cleo")
        #expect(returned.sequence == 4)
        _ = try await board.reset("tally", actor: "dan")
        let changes = try await steps(fixture)
        #expect(changes.map(\.draft.step?.kind) == [.opened, .action, .rehydrated, .returned, .reset])
        #expect(changes.map(\.draft.step?.actor) == [nil, "anna", "ben", "cleo", "dan"])
        #expect(changes.map { $0.state.payload["count"]?.integer } == [1, 101, 5, 101, 1])
        #expect(changes.map(\.draft.step?.returnedTo) == [nil, nil, nil, 2, nil])
        #expect(changes.dropFirst(2).allSatisfy { $0.draft.step?.effects.isEmpty == true })
        await #expect(throws: BoardError.self) {
            try await board.rehydrate("tally", state: ["open": [:]], actor: "ben")
        }
        await #expect(throws: BoardError.self) { try await board.returnTo("tally", sequence: 0, actor: "ben") }
        #expect(try await steps(fixture).count == 5)
    }

    // I8
    @Test func `what the store's own work sends has a cause and no actor, and a reset ends the work`() async throws {
        let gate = Gate()
        let fixture = try await BoardFixture.tally(
            Tally { dispatch in
                dispatch(.loaded(count: 41), cause: "the file was read")
                do { try await gate.pass() } catch { return }
                dispatch(.loaded(count: 42))
            })
        _ = try await fixture.board.dispatch(["type": "load"], to: "tally", actor: "anna")
        let loaded = try await fixture.published(.store("tally")) { $0.change.draft.step?.action?.name == "loaded" }
        #expect(loaded.change.draft.cause == "the file was read")
        #expect(loaded.change.draft.step?.actor == nil)
        _ = try await fixture.board.reset("tally", actor: "anna")
        gate.open()
        _ = try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna")
        #expect(try await steps(fixture).map { $0.state.payload["count"]?.integer } == [0, 0, 41, 0, 1])
    }

    @Test func `the same key and action give the same change, also after a restart, and another action is refused`()
        async throws
    {
        let fixture = try await BoardFixture.tally()
        func send(_ fixture: BoardFixture, _ action: JSONValue = ["type": "add", "step": 2]) async throws
            -> StoreReceipt
        {
            try await fixture.board.dispatch(action, to: "tally", actor: "anna", idempotencyKey: "k1")
        }
        let first = try await send(fixture)
        #expect(first.isNew)
        #expect(try await send(fixture) == StoreReceipt(store: "tally", sequence: first.sequence, isNew: false))
        // Equal numbers are the same content.
        #expect(try await send(fixture, try JSONValue(parsing: #"{"type":"add","step":2.0}"#)).isNew == false)
        let again = try await BoardFixture.tally(on: fixture.journal)
        #expect(try await send(again) == StoreReceipt(store: "tally", sequence: first.sequence, isNew: false))
        for action: JSONValue in [["type": "add", "step": 3], ["type": "close"]] {
            await #expect {
                try await send(again, action)
            } throws: { ($0 as? BoardError)?.code == .keyReused }
        }
        #expect(try await steps(again).count == 2)
    }

    @Test func `a key belongs to its actor, and holds for states as for actions, also after a restart`() async throws {
        let fixture = try await BoardFixture.tally(Tally(initial: 1))
        typealias Command = @Sendable (Board, String, String) async throws -> StoreReceipt
        let commands: [Command] = [
            { try await $0.dispatch(["type": "add"], to: "tally", actor: $1, idempotencyKey: $2) },
            { try await $0.rehydrate("tally", state: ["closed": ["count": 5]], actor: $1, idempotencyKey: $2) },
            { try await $0.returnTo("tally", sequence: 1, actor: $1, idempotencyKey: $2) },
            { try await $0.reset("tally", actor: $1, idempotencyKey: $2) },
        ]
        var receipts: [StoreReceipt] = []
        for (number, command) in commands.enumerated() {
            for actor in ["anna", "ben"] { receipts.append(try await command(fixture.board, actor, "k\(number)")) }
        }
        #expect(receipts.map(\.sequence) == (2...9).map { SequenceNumber(clamping: $0) })
        let again = try await BoardFixture.tally(Tally(initial: 1), on: fixture.journal)
        for board in [fixture.board, again.board] {
            for (number, command) in commands.enumerated() {
                for (place, actor) in ["anna", "ben"].enumerated() {
                    let repeated = try await command(board, actor, "k\(number)")
                    #expect(repeated.sequence == receipts[2 * number + place].sequence && !repeated.isNew)
                }
                await #expect {
                    try await command(board, "anna", "k\((number + 1) % commands.count)")
                } throws: { ($0 as? BoardError)?.code == .keyReused }
            }
        }
        await #expect {
            try await again.board.rehydrate(
                "tally", state: ["closed": ["count": 6]], actor: "anna", idempotencyKey: "k1")
        } throws: { ($0 as? BoardError)?.code == .keyReused }
        #expect(try await steps(again).count == 9)
    }

    // K7
    @Test func `what a store took and could not record has a receipt without a sequence`() async throws {
        let fixture = try await BoardFixture.tally()
        fixture.journal.error = JournalError(.locked, "The journal is locked.")
        let sending = Task {
            try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna", idempotencyKey: "k")
        }
        await fixture.clock.sleepers(3)
        fixture.clock.advance(by: Board.patience)
        #expect(try await sending.value == StoreReceipt(store: "tally", sequence: nil))
        await fixture.clock.sleepers(1)
        fixture.journal.error = nil
        fixture.clock.advance(by: .seconds(1))
        let again = try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna", idempotencyKey: "k")
        #expect(again == StoreReceipt(store: "tally", sequence: 2, isNew: false))
        #expect(try await steps(fixture).count == 2)
    }

    // K7
    @Test
    func
        `while the journal takes nothing, actions are refused before memory fills, and what was taken is recorded after`()
        async throws
    {
        let gate = Gate()
        let fixture = try await BoardFixture.tally(
            Tally { dispatch in
                do { try await gate.pass() } catch { return }
                for count in 0..<100 where dispatch(.loaded(count: count)).rejection == .overloaded { return }
            }
        ) {
            $0.retention = nil
            $0.recordBufferLimit = 20
        }
        fixture.journal.error = JournalError(.full, "The disk is full.")
        async let load: StoreReceipt = fixture.board.dispatch(["type": "load"], to: "tally", actor: "anna")
        // Both waits of the command, and the journal's next attempt; only then come more actions.
        await fixture.clock.sleepers(3)
        gate.open()
        try await until { fixture.board.recorder.backlog >= 40 }
        await #expect {
            try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna")
        } throws: { ($0 as? BoardError)?.code == .unavailable }
        #expect(fixture.board.recorder.backlog == 40)
        fixture.journal.error = nil
        fixture.clock.advance(by: .milliseconds(200))
        #expect(try await load.sequence == 2)
        await fixture.board.recorder.flush()
        #expect(try await steps(fixture).map(\.revision) == Array(0...40))
        _ = try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna")
    }

    @Test func `a board that shuts down records what was done and takes nothing more`() async throws {
        let fixture = try await BoardFixture.tally()
        fixture.journal.hold()
        let sending = Task { try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna") }
        await fixture.journal.attempts(2)
        async let closing: Void = fixture.board.shutdown()
        try await until { fixture.board.liveStores.isClosed }
        await #expect {
            try await fixture.board.dispatch(["type": "add"], to: "tally", actor: "anna")
        } throws: { ($0 as? BoardError)?.code == .shuttingDown }
        fixture.journal.release()
        #expect(try await sending.value.sequence == 2)
        await closing
        #expect(try await steps(fixture).count == 2)
    }

    @Test func `a key beside a change that nobody asks for stops no board from opening, and is new`() throws {
        let draft = ChangeDraft(
            stream: .store("tally"), subject: "tally", revision: 0, at: Timestamp(milliseconds: 1),
            state: StateRecord(caseName: "counting", phase: .active), isTransition: true,
            step: StoreStep(.opened, actor: "anna", idempotencyKey: "k"))
        let keys = StoreKeys([Change(sequence: 1, draft: draft)])
        #expect(try keys.command(of: "k", actor: "anna", .reset) == nil)
    }
}
