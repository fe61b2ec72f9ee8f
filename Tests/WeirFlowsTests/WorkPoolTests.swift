import Dispatch
import Synchronization
import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct WorkPoolTests {
    private actor Counter {
        nonisolated let executor: WorkPool.ActorExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private var count = 0
        private var isInside = false

        init(_ pool: WorkPool) { executor = WorkPool.ActorExecutor(pool) }

        func add() -> Bool {
            defer { isInside = false }
            let wasInside = isInside
            isInside = true
            count += 1
            return wasInside
        }

        var total: Int { count }
    }

    /// Occupies a thread of a pool until it is released.
    private func occupy(_ pool: WorkPool) async -> (Task<Void, any Error>, DispatchSemaphore) {
        let (started, block) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let task = Task {
            try await pool.run {
                started.continuation.yield()
                block.wait()
            }
        }
        var begun = started.stream.makeAsyncIterator()
        await begun.next()
        return (task, block)
    }

    @Test func `work returns its result, or throws its error`() async throws {
        struct Failure: Error {}
        let pool = WorkPool()
        #expect(try await pool.run { 6 * 7 } == 42)
        await #expect(throws: Failure.self) { try await pool.run { throw Failure() } }
    }

    @Test func `work whose task is cancelled while it waits never begins, and frees its place`() async throws {
        let pool = WorkPool(threads: 1, room: 1)
        let (occupying, block) = await occupy(pool)
        let hasRun = Mutex(false)
        let waiting = Task { try await pool.run { hasRun.withLock { $0 = true } } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let next = Task { try await pool.run { 1 } }
        block.signal()
        #expect(try await next.value == 1)
        try await occupying.value
        #expect(hasRun.withLock { $0 } == false)
    }

    @Test func `work beyond the limit is refused at once`() async throws {
        let pool = WorkPool(threads: 1, room: 0)
        let (occupying, block) = await occupy(pool)
        await #expect(throws: WorkPool.Busy.self) { try await pool.run {} }
        block.signal()
        try await occupying.value
    }

    @Test func `an actor of a pool runs one job at a time, and all of them`() async {
        let counter = Counter(WorkPool(threads: 4))
        let overlaps = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 { group.addTask { await counter.add() } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(overlaps == 0)
        #expect(await counter.total == 1_000)
    }

    @Test func `a budget is exceeded once its time is over`() throws {
        try WorkBudget(.seconds(600)).check()
        #expect(throws: WorkBudget.Exceeded.self) { try WorkBudget(.zero).check() }
    }
}
