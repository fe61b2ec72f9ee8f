import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct OutputTests {
    /// A board with one operation, `print`.
    private func fixture(
        on journal: JournalDouble = JournalDouble(), limit: Int = 2_000,
        _ body: @escaping @Sendable (MutableStateFlow<TestState>, OutputWriter) async throws -> Void
    ) async throws -> BoardFixture {
        try await BoardFixture.open(printing: PrintingOperation(body), on: journal) { configuration in
            configuration.retention = nil
            configuration.outputBufferLimit = limit
        }
    }

    private func texts(of run: String, in fixture: BoardFixture) async throws -> [String] {
        try await fixture.board.output(of: run, limit: 1_000_000).map(\.text)
    }

    // K1, K2
    @Test func `all that a run prints is recorded, in order, before its end is published`() async throws {
        let printed = MutableStateFlow(false)
        let fixture = try await fixture(limit: 3_000) { state, output in
            for number in 1...3_000 { await output.write("line \(number)") }
            printed.value = true
            state.value = .success(text: "")
        }
        // All of them are printed during the first append, so that few others follow.
        fixture.journal.holdOutput()
        let counts = Locked<[SequenceNumber?]>([])
        let observation = fixture.board.feed.observe(.board) { [feed = fixture.board.feed] head in
            guard let change = feed.publication(at: head)?.change, change.state.phase.isEnded else { return }
            guard case .run(let run) = change.stream else { return }
            counts.withLock { $0.append(feed.output(of: run)?.head) }
        }
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        _ = await printed.first { $0 }
        fixture.journal.releaseOutput()
        #expect(await soon { await fixture.board.outcome(of: receipt.run) } != nil)
        observation.cancel()
        #expect(counts.withLock { $0 } == [3_000])
        #expect(try await fixture.journal.outputCount(of: receipt.run) == 3_000)
        let lines = try await fixture.journal.output(of: receipt.run, after: 0, limit: 5_000)
        #expect(lines.map(\.text) == (1...3_000).map { "line \($0)" })
        #expect(fixture.journal.outputAppends.count < 100)
    }

    @Test func `a printed line has the number that it is recorded with`() async throws {
        let numbers = Locked<[Int64?]>([])
        let fixture = try await fixture { state, output in
            for text in ["one", "two", "three"] {
                let number = await output.write(text, to: .standardOutput, continues: false)
                numbers.withLock { $0.append(number) }
                await output.write("beside", to: .standardError)
            }
            state.value = .success(text: "")
        }
        let run = try await fixture.board.start("print", input: [:], actor: "tester").run
        await fixture.board.outcome(of: run)
        #expect(numbers.withLock { $0 } == [1, 3, 5])
        let lines = try await fixture.journal.output(of: run, after: 0, limit: 100)
        #expect(lines.filter { $0.channel == .standardOutput }.map(\.number) == [1, 3, 5])
    }

    @Test func `a line that has not ended is shown and not recorded, until it ends`() async throws {
        let (ends, ended) = (MutableStateFlow(false), MutableStateFlow(false))
        let fixture = try await fixture { state, output in
            output.show(unfinished: "10 %", on: .standardOutput)
            output.show(unfinished: "Password: ", on: .standardError)
            output.show(unfinished: "20 %", on: .standardOutput)
            _ = await ends.first { $0 }
            await output.write("100 %")
            _ = await ended.first { $0 }
            state.value = .success(text: "")
        }
        let run = try await fixture.board.start("print", input: [:], actor: "tester").run
        let feed = fixture.board.feed
        func shown() -> [String] { feed.output(of: run)?.unfinished.lines.map(\.text) ?? [] }
        try await until {
            fixture.clock.advance(by: .milliseconds(200))
            return shown() == ["20 %", "Password: "]
        }
        #expect(try await fixture.journal.outputCount(of: run) == 0)
        ends.value = true
        try await until { feed.output(of: run)?.head == 1 }
        #expect(shown() == ["Password: "])
        ended.value = true
        await fixture.board.outcome(of: run)
        #expect(shown() == [])
        #expect(try await texts(of: run, in: fixture) == ["100 %"])
    }

    @Test func `a piece of a line is recorded with the mark that the line continues`() async throws {
        let fixture = try await fixture { state, output in
            await output.write("a", to: .standardError, continues: true)
            await output.write("b", to: .standardError, continues: false)
            await output.write("c")
            state.value = .success(text: "")
        }
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.board.outcome(of: receipt.run)
        let lines = try await fixture.board.output(of: receipt.run, limit: 10)
        #expect(lines.map(\.text) == ["a", "b", "c"])
        #expect(lines.map(\.continues) == [true, false, false])
    }

    @Test func `a work that prints faster than the journal writes goes as fast as that, and loses nothing`()
        async throws
    {
        let printed = MutableStateFlow(0)
        let fixture = try await fixture(limit: 10) { state, output in
            for number in 1...100 {
                await output.write("line \(number)")
                printed.value = number
            }
            state.value = .success(text: "")
        }
        fixture.journal.holdOutput()
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.journal.outputAttempts(1)
        _ = await printed.first { $0 == 10 }
        #expect(fixture.board.feed.output(of: receipt.run)?.head == 0)
        fixture.journal.releaseOutput()
        await fixture.board.outcome(of: receipt.run)
        #expect(try await texts(of: receipt.run, in: fixture) == (1...100).map { "line \($0)" })
        #expect(fixture.journal.outputAppends.allSatisfy { $0 <= 10 })
    }

    @Test func `lines that do not wait and find no room are left out, and the output says so where they are missing`()
        async throws
    {
        let (gate, offered) = (Gate(), MutableStateFlow(false))
        let fixture = try await fixture(limit: 5) { state, output in
            await output.write("first")
            try await gate.pass(1)
            let taken = (1...1_240).filter { output.offer("line \($0)") }
            #expect(taken == [1, 2, 3, 4])
            offered.value = true
            await output.write("last")
            await output.write("end")
            state.value = .success(text: "")
        }
        fixture.journal.holdOutput()
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.journal.outputAttempts(1)
        gate.open()
        _ = await offered.first { $0 }
        fixture.journal.releaseOutput()
        await fixture.board.outcome(of: receipt.run)
        let told = "… 1,236 lines were not kept: lines were printed faster than they could be recorded."
        #expect(
            try await texts(of: receipt.run, in: fixture)
                == ["first", "line 1", "line 2", "line 3", "line 4", told, "last", "end"])
    }

    // K7
    @Test func `a journal that refuses lines is tried again, with the same ones and none twice`() async throws {
        let fixture = try await fixture { state, output in
            for number in 1...5 { await output.write("line \(number)") }
            state.value = .success(text: "")
        }
        fixture.journal.outputError = JournalError(.full, "The disk is full.")
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        // The pause before the next attempt, and the end of the run, which waits for the output.
        await fixture.clock.sleepers(2)
        fixture.journal.outputError = nil
        fixture.journal.denyOutput()
        fixture.clock.advance(by: .milliseconds(100))
        await fixture.journal.outputAttempts(2)
        await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .milliseconds(400))
        await fixture.board.outcome(of: receipt.run)
        #expect(try await texts(of: receipt.run, in: fixture) == (1...5).map { "line \($0)" })
    }

    // K7
    @Test func `lines that the journal took without an answer are not recorded again with those printed since`()
        async throws
    {
        let gate = Gate()
        let fixture = try await fixture { state, output in
            await output.write("first")
            try await gate.pass(1)
            for number in 2...4 { await output.write("line \(number)") }
            state.value = .success(text: "")
        }
        fixture.journal.denyOutput()
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.journal.outputAttempts(1)
        await fixture.clock.sleepers(1)
        gate.open()
        await fixture.clock.sleepers(2)
        fixture.clock.advance(by: .milliseconds(100))
        await fixture.board.outcome(of: receipt.run)
        #expect(try await texts(of: receipt.run, in: fixture) == ["first", "line 2", "line 3", "line 4"])
    }

    @Test func `an end that waits for its output holds up no one who waits for the changes of other runs`() async throws
    {
        let fixture = try await fixture { state, output in
            await output.write("line")
            state.value = .success(text: "")
        }
        fixture.journal.outputError = JournalError(.full, "The disk is full.")
        let run = try await fixture.board.start("print", input: [:], actor: "tester").run
        _ = await fixture.board.runs[run]?.outcome()
        await fixture.clock.sleepers(1)
        await fixture.board.recorder.flush()
        #expect(try await fixture.board.run(run).endedAt == nil)
        fixture.journal.outputError = nil
        let isFlushed = Locked(false)
        let flushing = Task {
            await fixture.board.recorder.flush(withEnds: true)
            isFlushed.withLock { $0 = true }
        }
        try await until {
            fixture.clock.advance(by: .milliseconds(100))
            return isFlushed.withLock { $0 }
        }
        await flushing.value
        #expect(try await fixture.board.run(run).endedAt != nil)
    }

    @Test func `the status stays “not recorded” while an end waits for its output, also if other changes are recorded`()
        async throws
    {
        let fixture = try await fixture { state, output in
            await output.write("line")
            state.value = .success(text: "")
        }
        fixture.journal.outputError = JournalError(.full, "The disk is full.")
        let first = try await fixture.board.start("print", input: [:], actor: "tester").run
        _ = await fixture.board.runs[first]?.outcome()
        try await until {
            fixture.clock.advance(by: .milliseconds(100))
            return fixture.board.recording != .recording
        }
        // Its opening is recorded.
        _ = try await fixture.board.start("print", input: [:], actor: "tester")
        #expect(fixture.board.recording != .recording)
        fixture.journal.outputError = nil
        try await until {
            fixture.clock.advance(by: .milliseconds(100))
            return fixture.board.recording == .recording
        }
        try await until { try await fixture.board.run(first).endedAt != nil }
    }

    @Test func `the output of a run that begins before its opening is published keeps its place`() async throws {
        let fixture = try await fixture { state, _ in state.value = .success(text: "") }
        let run = try await fixture.board.start("print", input: [:], actor: "tester").run
        await fixture.board.outcome(of: run)
        let outputs = fixture.board.outputs
        let output = outputs.output(of: run, maximum: nil)
        output.open(isResumed: true)
        await output.write("first", to: .standardOutput, continues: false)
        await output.flush(within: .seconds(60))
        output.open(isResumed: false)
        await output.write("second", to: .standardOutput, continues: false)
        await output.flush(within: .seconds(60))
        #expect(try await fixture.journal.outputCount(of: run) == 2)
    }

    @Test func `lines that come twice or late are kept once and without a gap`() {
        var tails = OutputTails(byteLimit: 200_000)
        func lines(_ range: ClosedRange<Int>) -> [OutputLine] {
            range.map {
                OutputLine(
                    number: SequenceNumber(clamping: $0),
                    draft: OutputDraft(at: Timestamp(milliseconds: 0), text: "\($0)"))
            }
        }
        tails.open("r")
        for range in [1...3, 2...5, 4...5] { tails.add(lines(range), nil, to: "r") }
        #expect(tails["r"]?.lines.map(\.number) == [1, 2, 3, 4, 5])
        tails.add(lines(8...9), nil, to: "r")
        #expect(tails["r"]?.lines.map(\.number) == [8, 9])
    }

    @Test func `a run that is cancelled while it waits to print ends at once, and keeps what was taken`() async throws {
        let fixture = try await fixture(limit: 3) { _, output in
            for number in 1...100 { await output.write("line \(number)") }
            try await Gate().pass()
        }
        fixture.journal.holdOutput()
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.journal.outputAttempts(1)
        let live = try #require(fixture.board.runs[receipt.run])
        live.cancel(.actor("tester"))
        _ = await live.outcome()
        fixture.journal.releaseOutput()
        await fixture.board.outcome(of: receipt.run)
        let texts = try await texts(of: receipt.run, in: fixture)
        #expect(texts == (1...3).map { "line \($0)" }.prefix(texts.count).map { $0 } && texts.count <= 3)
        #expect(fixture.board.feed.output(of: receipt.run)?.isClosed == true)
    }

    @Test func `a followed output wakes its followers with the number of its last line, and keeps the newest 500`()
        async throws
    {
        let gate = Gate()
        let fixture = try await fixture { state, output in
            for number in 1...700 { await output.write("line \(number)") }
            try await gate.pass(1)
            await output.write("the last")
            state.value = .success(text: "")
        }
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        let head = MutableStateFlow(SequenceNumber.zero)
        let observation = fixture.board.feed.observe(.output(receipt.run), after: 0) { head.value = $0 }
        _ = await head.first { $0 == 700 }
        let tail = try #require(fixture.board.feed.output(of: receipt.run))
        #expect(
            tail.lines.map(\.number) == Array((201 as SequenceNumber)...700) && tail.earlier == 200 && !tail.isClosed)
        #expect(tail.lines(after: 698)?.map(\.text) == ["line 699", "line 700"])
        #expect(tail.lines(after: 199) == nil && tail.lines(after: 200)?.count == 500)
        gate.open()
        _ = await head.first { $0 == 701 }
        await fixture.board.outcome(of: receipt.run)
        observation.cancel()
        #expect(fixture.board.feed.output(of: receipt.run)?.isClosed == true)
        #expect(fixture.board.feed.head(of: .output(receipt.run)) == 701)
    }

    @Test func `a run that is tried again prints into an output of its own`() async throws {
        let fixture = try await fixture { state, output in
            await output.write("hello")
            state.value = .error(message: "no")
        }
        let first = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.board.outcome(of: first.run)
        let second = try await fixture.board.retry(first.run, actor: "tester")
        await fixture.board.outcome(of: second.run)
        #expect(try await texts(of: first.run, in: fixture) == ["hello"])
        #expect(try await texts(of: second.run, in: fixture) == ["hello"])
    }

    @Test func `a board that is opened again finds what was printed`() async throws {
        let first = try await fixture { state, output in
            for number in 1...600 { await output.write("line \(number)") }
            state.value = .success(text: "")
        }
        let receipt = try await first.board.start("print", input: [:], actor: "tester")
        await first.board.outcome(of: receipt.run)
        let second = try await fixture(on: first.journal) { _, _ in }
        #expect(second.board.feed.output(of: receipt.run) == nil)
        let tail = try await second.board.outputTail(of: receipt.run)
        #expect(tail.head == 600 && tail.lines.map(\.number) == Array((101 as SequenceNumber)...600) && tail.isClosed)
        #expect(second.board.feed.head(of: .output(receipt.run)) == 600)
        let reads = second.journal.reads
        _ = try await second.board.outputTail(of: receipt.run)
        #expect(second.journal.reads == reads)
        await #expect(throws: BoardError.self) { try await second.board.outputTail(of: "nobody") }
        await #expect(throws: BoardError.self) { try await second.board.output(of: "nobody", limit: 1) }
    }

    @Test func `of very many lines only the newest stay in memory`() async throws {
        let fixture = try await fixture { state, output in
            for number in 1...20_000 { await output.write("line \(number): \u{1B}[32mcompiling\u{1B}[0m something") }
            state.value = .success(text: "")
        }
        fixture.journal.onlyCountOutput()
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.board.outcome(of: receipt.run)
        let tail = try #require(fixture.board.feed.output(of: receipt.run))
        #expect(tail.head == 20_000 && tail.lines.count == 500 && tail.isClosed)
        #expect(tail.lines.last?.text.hasPrefix("line 20000:") == true)
    }

    @Test func `what runs keep in memory of their lines stays within its bound`() {
        var tails = OutputTails(byteLimit: 200_000)
        func line(_ number: SequenceNumber) -> OutputLine {
            OutputLine(
                number: number,
                draft: OutputDraft(at: Timestamp(milliseconds: 0), text: String(repeating: "x", count: 1_000)))
        }
        tails.open("live")
        tails.add((1...400).map(line), nil, to: "live")
        for run in 1...20 {
            tails.open("\(run)")
            tails.add((1...50).map(line), nil, to: "\(run)")
            tails.close("\(run)")
        }
        #expect(tails["live"]?.head == 400)
        #expect(tails["1"] == nil && tails["20"]?.lines.isEmpty == false)
        let bytes = (["live"] + (1...20).map { "\($0)" }).compactMap { tails[$0] }
            .reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.text.utf8.count } }
        #expect(bytes <= 400_000)
    }

    @Test func `a work whose run the journal does not have any more is not left waiting to print`() async throws {
        let fixture = try await fixture(limit: 3) { state, output in
            for number in 1...100 { await output.write("line \(number)") }
            state.value = .success(text: "")
        }
        fixture.journal.outputError = JournalError(.outOfOrder, "There is no such run.")
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        await fixture.board.outcome(of: receipt.run)
        #expect(try await fixture.board.run(receipt.run).state.phase == .succeeded)
        #expect(try await texts(of: receipt.run, in: fixture) == [])
    }

    // K7
    @Test func `each time that a journal begins to refuse lines, and to take them again, is logged once`() async throws
    {
        let log = CapturedLog()
        let printing = PrintingOperation { state, output in
            for number in 1...2 { await output.write("line \(number)") }
            state.value = .success(text: "")
        }
        let fixture = try await BoardFixture.open(printing: printing, logger: log.logger) { configuration in
            configuration.retention = nil
            configuration.batchLimit = 1
        }
        fixture.journal.failingOutputAttempts = [1, 2, 4]
        let receipt = try await fixture.board.start("print", input: [:], actor: "tester")
        for attempt in fixture.journal.failingOutputAttempts.sorted() {
            await fixture.journal.outputAttempts(attempt)
            // The pause before the next attempt, and the end of the run, which waits for the output.
            await fixture.clock.sleepers(2)
            fixture.clock.advance(by: .seconds(1))
        }
        await fixture.board.outcome(of: receipt.run)
        #expect(log.lines.count { $0.contains("Output is not recorded.") } == 2)
        #expect(log.lines.count { $0.contains("Output is recorded again.") } == 2)
        #expect(try await texts(of: receipt.run, in: fixture) == ["line 1", "line 2"])
    }
}
