import Testing
import TestSupport

@testable import WeirBoards

/// Whose turn it is when several want to do what only one may do at a time.
@Suite(.timeLimit(.minutes(15))) struct AsyncLockTests {
    private let lock = AsyncLock()
    private let gate = Gate()

    /// Takes the lock and keeps it until the gate is open.
    private func holding() async -> Task<Void, any Error> {
        let isInside = Deferred<Bool>()
        let holder = Task {
            try await lock.withLock {
                isInside.resolve(true)
                try await gate.pass()
            }
        }
        _ = await isInside.value()
        return holder
    }

    /// Waits for the lock, and gives up before it comes.
    private func giveUpWaiting() async {
        let waiter = Task { try await lock.withLock {} }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test func `whoever gives up waiting lets nobody else in early`() async throws {
        let holder = await holding()
        await giveUpWaiting()
        let isInside = Deferred<Bool>()
        let next = Task { try await lock.withLock { isInside.resolve(true) } }
        // It has every chance to come in, which it must not.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(isInside.resolved == nil)
        gate.open()
        try await holder.value
        try await next.value
    }

    @Test func `whoever gives up waiting keeps nobody else waiting`() async throws {
        let holder = await holding()
        await giveUpWaiting()
        let isInside = Deferred<Bool>()
        let next = Task { try await lock.withLock { isInside.resolve(true) } }
        gate.open()
        try await holder.value
        #expect(await isInside.value(within: .seconds(120), clock: ContinuousClock()) == true)
        next.cancel()
    }

    @Test func `whoever gives up just as their turn comes leaves it to the next`() async throws {
        for round in 1...200 {
            let holder = Task { try await lock.withLock { try await gate.pass(round) } }
            let waiters = (0..<3).map { _ in Task { try await lock.withLock {} } }
            await Task.yield()
            gate.open(round)
            for waiter in waiters { waiter.cancel() }
            try await holder.value
            for waiter in waiters { _ = await waiter.result }
        }
        try await lock.withLock {}
    }
}
