import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct FeedTests {
    /// A feed of one operation, and what publishes a run's changes into it.
    struct Source {
        let feed: Feed
        var sequence: SequenceNumber = 0
        var revisions: [String: Int64] = [:]

        init(countLimit: Int = 1_000, byteLimit: Int = 1_000_000, settledLimit: Int = 1_000) {
            let fold = BoardFold(board: BoardView(sequence: 0, operations: [OperationView(id: "op")], recentRuns: []))
            feed = Feed(
                fold: fold,
                machine: FeedMachine(
                    fold: fold, countLimit: countLimit, byteLimit: byteLimit, settledLimit: settledLimit))
        }

        mutating func change(
            _ run: String, _ caseName: String = "working", phase: Phase = .active, input: JSONValue = [:]
        ) -> Change {
            sequence = sequence.next
            let revision = revisions[run] ?? 0
            revisions[run] = revision + 1
            return Change(
                sequence: sequence,
                draft: ChangeDraft(
                    stream: .run(run), subject: "op", revision: revision,
                    at: Timestamp(milliseconds: sequence.rawValue),
                    state: StateRecord(caseName: caseName, payload: ["n": .integer(sequence.rawValue)], phase: phase),
                    isTransition: true,
                    opening: revision == 0 ? RunOpening(actor: "tester", input: input) : nil))
        }
    }

    func sequences(_ slice: FeedSlice) -> [SequenceNumber]? {
        guard case .some(let publications, _) = slice else { return nil }
        return publications.map(\.change.sequence)
    }

    @Test func `a publication says how its operation was shown before it, with runs that retention removed since`()
        throws
    {
        var source = Source()
        source.feed.publish([source.change("a", "done", phase: .succeeded), source.change("b")])
        source.feed.forget(["a"])
        source.feed.publish([source.change("b", "done", phase: .succeeded)])
        let publication = try #require(source.feed.publication(at: source.sequence))
        #expect(publication.operationBefore?.recent.map(\.record.id) == ["b", "a"])
        #expect(publication.board.operation("op")?.recent.map(\.record.id) == ["b"])
        #expect(publication.boardBefore.operation("op")?.latest?.record.state.caseName == "working")
    }

    // K2
    @Test func `a slice is what a topic's cursor has not seen, capped, and says whether more follows`() {
        var source = Source()
        source.feed.publish([source.change("a"), source.change("b"), source.change("a"), source.change("a")])
        #expect(sequences(source.feed.slice(of: .run("a"), after: 0, limit: 10)) == [1, 3, 4])
        #expect(sequences(source.feed.slice(of: .run("a"), after: 1, limit: 10)) == [3, 4])
        #expect(sequences(source.feed.slice(of: .operation("op"), after: 2, limit: 10)) == [3, 4])
        guard case .some(let first, true) = source.feed.slice(of: .board, after: 0, limit: 3) else {
            return #expect(Bool(false))
        }
        #expect(first.map(\.change.sequence) == [1, 2, 3])
        guard case .none = source.feed.slice(of: .run("b"), after: 2, limit: 3) else { return #expect(Bool(false)) }
        guard case .future = source.feed.slice(of: .run("b"), after: 3, limit: 3) else { return #expect(Bool(false)) }
        #expect(source.feed.publication(at: 3)?.run?.record.revision == 1)
        #expect(source.feed.publication(at: 9) == nil)
    }

    @Test func `the memory is bounded by count, and what has left is a gap with its bounds`() {
        var source = Source(countLimit: 3)
        for run in ["a", "a", "b", "a", "b"] { source.feed.publish([source.change(run)]) }
        #expect(source.feed.floor(of: .board) == 2 && source.feed.head(of: .board) == 5)
        #expect(source.feed.floor(of: .run("a")) == 2 && source.feed.floor(of: .run("b")) == 0)
        #expect(sequences(source.feed.slice(of: .run("a"), after: 2, limit: 9)) == [4])
        guard case .gap(2) = source.feed.slice(of: .run("a"), after: 1, limit: 9) else { return #expect(Bool(false)) }
        #expect(sequences(source.feed.slice(of: .run("b"), after: 0, limit: 9)) == [3, 5])
    }

    @Test func `the memory is bounded by bytes`() {
        var source = Source(byteLimit: 20_000)
        for _ in 0..<500 { source.feed.publish([source.change("a", "x"), source.change("b", "y")]) }
        let kept = sequences(source.feed.slice(of: .board, after: source.feed.floor(of: .board), limit: 1_000))
        #expect((kept?.count ?? 0) < 100 && kept?.last == 1_000)
    }

    @Test func `what runs were started with counts towards the bytes in memory`() {
        var source = Source(byteLimit: 20_000)
        let input: JSONValue = ["text": .string(String(repeating: "x", count: 9_000))]
        for run in 1...10 { source.feed.publish([source.change("\(run)", input: input)]) }
        #expect(source.feed.floor(of: .board) >= 8)
    }

    @Test func `of a run that nothing is known of, the newest cursor is good, and only a later one is of the future`() {
        var source = Source()
        source.feed.publish([source.change("a"), source.change("a")])
        guard case .none = source.feed.slice(of: .run("z"), after: 2, limit: 9) else { return #expect(Bool(false)) }
        guard case .future = source.feed.slice(of: .run("z"), after: 3, limit: 9) else { return #expect(Bool(false)) }
    }

    @Test func `a cursor at the head of an ended run stays good when its changes have left`() {
        var source = Source(countLimit: 2, settledLimit: 2)
        source.feed.publish([source.change("a"), source.change("a", "done", phase: .succeeded)])
        for _ in 0..<4 { source.feed.publish([source.change("b")]) }
        #expect(source.feed.head(of: .run("a")) == 2)
        guard case .none = source.feed.slice(of: .run("a"), after: 2, limit: 9) else { return #expect(Bool(false)) }
        guard case .gap(2) = source.feed.slice(of: .run("a"), after: 1, limit: 9) else { return #expect(Bool(false)) }
        for run in ["c", "d", "e", "f"] { source.feed.publish([source.change(run, "done", phase: .succeeded)]) }
        #expect(source.feed.head(of: .run("a")) == 0)
        guard case .gap = source.feed.slice(of: .run("a"), after: 2, limit: 9) else { return #expect(Bool(false)) }
    }

    @Test func `a run that was looked up begins at its head, and a cursor before it is a gap`() {
        var source = Source(countLimit: 2)
        let opening = source.change("a")
        let end = source.change("a", "done", phase: .succeeded)
        source.feed.publish([opening, end])
        let run = source.feed.run("a")
        source = Source(countLimit: 2)
        for _ in 0..<5 { source.feed.publish([source.change("b")]) }
        if let run { source.feed.remember(run) }
        #expect(source.feed.head(of: .run("a")) == 2 && source.feed.floor(of: .run("a")) == 2)
        guard case .none = source.feed.slice(of: .run("a"), after: 2, limit: 9) else { return #expect(Bool(false)) }
        guard case .gap(2) = source.feed.slice(of: .run("a"), after: 1, limit: 9) else { return #expect(Bool(false)) }
    }

    // K9
    @Test func `what is forgotten takes nothing from the newest publications but the runs in their lists`() async throws
    {
        let fixture = try await BoardFixture.open(["quick": .quick], stores: ["tally": Tally()])
        let feed = fixture.board.feed
        var runs: [String] = []
        for _ in 0..<2 {
            runs.append(try await fixture.board.start("quick", input: [:], actor: "tester").run)
            await fixture.board.outcome(of: runs[runs.count - 1])
        }
        let ofRun = feed.head(of: .operation("quick"))
        _ = try await fixture.board.reset("tally", actor: "tester")
        let last = feed.head(of: .board)
        #expect(last > ofRun)
        feed.forget([runs[0]])
        #expect(feed.publication(at: last)?.store?.id == "tally")
        #expect(feed.publication(at: ofRun)?.before?.record.id == runs[1])
        // Of which pages make what they are sent.
        #expect(feed.publication(at: last)?.storeBefore?.id == "tally")
        #expect(feed.publication(at: ofRun)?.operationBefore?.id == "quick")
        for sequence in [ofRun, last] {
            #expect(feed.publication(at: sequence)?.board.recentRuns.map(\.record.id) == [runs[1]])
        }
    }

    @Test func `a run that is forgotten while it goes on is no longer counted`() {
        var source = Source()
        source.feed.publish([source.change("a"), source.change("b")])
        #expect(source.feed.board.operation("op")?.activeRuns == 2)
        source.feed.forget(["a"])
        #expect(source.feed.board.operation("op")?.activeRuns == 1)
        #expect(source.feed.run("a") == nil)
        source.feed.publish([source.change("b", "done", phase: .succeeded)])
        #expect(source.feed.board.operation("op")?.activeRuns == 0)
        #expect(source.feed.board.recentRuns.map(\.record.id) == ["b"])
    }

    @Test func `an observer is called with the newest head of its topic, and no more once it has left`() {
        var source = Source()
        let heads = Locked<[SequenceNumber]>([])
        source.feed.publish([source.change("a")])
        let observation = source.feed.observe(.run("a"), after: 0) { head in heads.withLock { $0.append(head) } }
        #expect(heads.withLock { $0 } == [1])
        source.feed.publish([source.change("b")])
        source.feed.publish([source.change("a"), source.change("a")])
        #expect(heads.withLock { $0 } == [1, 4])
        observation.cancel()
        source.feed.publish([source.change("a")])
        #expect(heads.withLock { $0 } == [1, 4])
    }

    @Test func `what is published from within a call is told after it`() {
        var source = Source()
        let more = [source.change("a"), source.change("a")]
        let feed = source.feed
        let calls = Locked<[String]>([])
        let observation = feed.observe(.board) { head in
            calls.withLock { $0.append("begin \(head)") }
            if head == 1 { feed.publish([more[1]]) }
            calls.withLock { $0.append("end \(head)") }
        }
        feed.publish([more[0]])
        #expect(calls.withLock { $0 } == ["begin 1", "end 1", "begin 2", "end 2"])
        observation.cancel()
    }

    // Nobody is asleep with a head beyond what was read, in whatever order publishing and registering come.
    @Test func `publishing and observing interleave a hundred thousand times without a lost wake-up`() {
        var generator = SeededGenerator(seed: 7)
        var source = Source(countLimit: 50)
        let fold = BoardFold(board: BoardView(sequence: 0, operations: [OperationView(id: "op")], recentRuns: []))
        var machine = FeedMachine(fold: fold, countLimit: 50, byteLimit: .max)
        var folding = fold
        var readers: [(observer: FeedObserver, topic: Topic, read: SequenceNumber, woken: Bool)] = []
        let topics: [Topic] = [.board, .operation("op"), .run("a"), .run("b")]
        for _ in 0..<100_000 {
            switch generator.next() % 4 {
            case 0:
                let publication = folding.apply(source.change(generator.next() % 2 == 0 ? "a" : "b"))
                for call in machine.publish([(publication, 10)]) {
                    for index in readers.indices where readers[index].observer === call.observer {
                        readers[index].woken = true
                        #expect(call.head == machine.head(of: readers[index].topic))
                    }
                }
            case 1 where readers.count < 6:
                let topic = topics[Int(generator.next() % 4)]
                let read = machine.head(of: topic).advanced(by: -Int(generator.next() % 3))
                let observer = FeedObserver { _ in }
                let head = machine.observe(topic, after: read, observer)
                readers.append((observer, topic, read, head != nil))
            case 2 where !readers.isEmpty:
                let index = Int(generator.next() % UInt64(readers.count))
                guard readers[index].woken else { continue }
                // A woken reader reads to the head and goes on waiting.
                readers[index].read = machine.head(of: readers[index].topic)
                readers[index].woken = false
            case 3 where readers.count > 4:
                let gone = readers.removeFirst()
                machine.leave(gone.topic, gone.observer)
            default: break
            }
            for reader in readers where !reader.woken { #expect(reader.read >= machine.head(of: reader.topic)) }
        }
    }

    @Test func `threads that publish and observe at once lose no wake-up`() async {
        var source = Source(countLimit: 100_000)
        let changes = (0..<20_000).map { _ in source.change("a") }
        let feed = source.feed
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for change in changes { feed.publish([change]) } }
            for _ in 0..<2 {
                group.addTask {
                    var read: SequenceNumber = 0
                    while read < 20_000 {
                        let woken = Deferred<SequenceNumber>()
                        let observation = feed.observe(.run("a"), after: read) { woken.resolve($0) }
                        read = await woken.value() ?? .max
                        observation.cancel()
                    }
                    #expect(read == 20_000)
                }
            }
        }
    }
}
