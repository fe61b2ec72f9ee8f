import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

/// What is published, in which order, when several record.
@Suite(.timeLimit(.minutes(15))) struct FollowerTests {
    private let journal = MemoryJournal()
    private let published = Published()

    private final class Published: Sendable {
        private let changes = Locked<[Change]>([])

        func take(_ changes: [Change]) { self.changes.withLock { $0 += changes } }
        var sequences: [SequenceNumber] { changes.withLock { $0.map(\.sequence) } }
    }

    private func follower(after head: SequenceNumber = 0) -> Follower {
        Follower(journal: journal, head: head, batchLimit: 2, publish: { [published] in published.take($0) })
    }

    private func append(_ runs: String...) async throws -> [Change] {
        try await journal.append(
            runs.map { run in
                ChangeDraft(
                    stream: .run(run), subject: "x", revision: 0, at: Timestamp(milliseconds: 0),
                    state: StateRecord(caseName: "c", phase: .active), isTransition: true, cause: nil,
                    opening: RunOpening(actor: "anna", input: [:]))
            })
    }

    @Test func `what was recorded here is published without reading, where it is next in order`() async throws {
        let follower = follower()
        try await follower.take(try await append("a", "b"))
        try await follower.take(try await append("c"))
        #expect(published.sequences == [1, 2, 3])
        #expect(follower.head == 3)
    }

    @Test func `what others recorded in between is published before it`() async throws {
        let follower = follower()
        _ = try await append("a", "b", "c")
        let mine = try await append("d")
        _ = try await append("e")
        try await follower.take(mine)
        #expect(published.sequences == [1, 2, 3, 4, 5])
    }

    @Test func `nothing is published twice, whoever is first to see it`() async throws {
        let follower = follower()
        let mine = try await append("a", "b")
        try await follower.catchUp()
        try await follower.take(mine)
        try await follower.catchUp()
        #expect(published.sequences == [1, 2])
    }

    // K12
    @Test func `whoever asks while others look gets what was recorded before`() async throws {
        let follower = follower()
        #expect(!follower.isCurrent)
        try await withThrowingTaskGroup { group in
            try await follower.whileNothingIsPublished {
                _ = try await append("a")
                for _ in 0..<10 { group.addTask { try await follower.catchUp() } }
                _ = try await append("b")
                #expect(!follower.isCurrent)
            }
            try await follower.catchUp()
            #expect(published.sequences == [1, 2])
            try await group.waitForAll()
        }
        // A second look may have begun after the first, and nothing is current during one.
        #expect(published.sequences == [1, 2] && follower.isCurrent)
    }

    // K12
    @Test func `looks and appends at the same time are published in one order`() async throws {
        let follower = follower()
        try await withThrowingTaskGroup { group in
            for run in 0..<100 {
                group.addTask {
                    let changes = try await append("run\(run)")
                    if run.isMultiple(of: 3) { try await follower.catchUp() } else { try await follower.take(changes) }
                }
            }
            try await group.waitForAll()
        }
        try await follower.catchUp()
        #expect(published.sequences == (1...100).map { SequenceNumber(clamping: $0) })
    }

    // K2, K12
    @Test func `a reader who has come further starts over only if the journal has not come as far`() async throws {
        let pair = try await BoardPair()
        let receipt = try await pair.first.start("job", input: [:], actor: "anna")
        let recorded = try #require(receipt.sequence)
        #expect(await pair.second.mayBeRecorded(recorded))
        let beyond = recorded.advanced(by: 1_000)
        #expect(await !pair.first.mayBeRecorded(beyond))
        // It sleeps for a second, beside both beats and the schedules; no time passes while it looks afterwards.
        async let mayBe = pair.second.mayBeRecorded(beyond)
        await pair.clock.sleepers(4)
        pair.clock.advance(by: .seconds(1))
        #expect(await !mayBe)
        pair.cluster.readError = JournalError(.unavailable, "The database cannot be reached.")
        let answer = Deferred<Bool>()
        Task { answer.resolve(await pair.second.mayBeRecorded(beyond)) }
        try await until {
            answer.resolved != nil
        } otherwise: {
            pair.clock.advance(by: .milliseconds(100))
        }
        #expect(answer.resolved == true)
        pair.cluster.readError = nil
        await pair.shutdown()
    }

    @Test func `a follower of a database that only reads says so until it can write again`() async throws {
        let pair = try await BoardPair()
        let records = Locked<[Bool]>([])
        let status = pair.second.recordingStatus.subscribe(.lossless) { status in
            let isRecording = if case .recording = status { true } else { false }
            records.withLock { records in
                if records.last != isRecording { records.append(isRecording) }
            }
        }
        pair.journals[1].isReadOnly.withLock { $0 = true }
        try await pair.beats { records.withLock { $0.last == false } }
        for _ in 0..<3 {
            try await pair.beat()
            await pair.second.recorder.verify(as: pair.second.role.value)
            let recorded = try await pair.first.start("job", input: [:], actor: "anna").sequence
            try await until { pair.second.feed.head(of: .board) >= recorded ?? .max }
        }
        pair.journals[1].isReadOnly.withLock { $0 = false }
        try await pair.beats { records.withLock { $0.last == true } }
        status.cancel()
        #expect(records.withLock { $0.drop { $0 } } == [false, true])
        await pair.shutdown()
    }
}
