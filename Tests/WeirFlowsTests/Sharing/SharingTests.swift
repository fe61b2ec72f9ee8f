import Testing
import TestSupport
@testable import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct SharingTests {
    struct Broken: Error {}

    /// An upstream that counts how often it is collected, and gives what the source gives.
    struct Upstream: AsyncSequence, Sendable {
        typealias Element = Int
        typealias Failure = any Error

        let source: MutableStateFlow<Int>
        let collected = MutableStateFlow(0)

        init(_ source: MutableStateFlow<Int>) {
            self.source = source
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            var values: StateValues<Int>.Iterator

            mutating func next() async throws -> Int? {
                let value = await values.next()
                if value == -1 { throw Broken() }
                return value
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            collected.update { $0 + 1 }
            return AsyncIterator(values: source.values(.lossless).makeAsyncIterator())
        }
    }

    private let scope = FlowScope()
    private let clock = VirtualClock()
    private let upstream = Upstream(MutableStateFlow(1))

    private func share(
        _ started: SharingStarted, onFailure: (@Sendable (any Error) -> Void)? = nil
    ) -> ReadOnlyStateFlow<Int> {
        upstream.stateIn(scope, started: started, initial: 0, clock: clock, onFailure: onFailure)
    }

    @Test func `eagerly collects without a subscriber`() async {
        let shared = share(.eagerly)
        #expect(await shared.first { $0 == 1 } == 1)
        #expect(upstream.collected.value == 1)
        scope.cancel()
    }

    // E4
    @Test func `lazily starts even when the only subscriber took the first value and left`() async {
        // On the thread of the scope's jobs, so that the collection begins only once this waits.
        let executor = CollectorExecutor()
        defer { executor.close() }
        let scope = FlowScope(executor: executor)
        let shared = upstream.stateIn(scope, started: .lazily, initial: 0, clock: clock)
        await withTaskExecutorPreference(executor) { [upstream] in
            #expect(upstream.collected.value == 0)
            #expect(await shared.first { _ in true } == 0)
        }
        #expect(await upstream.collected.first { $0 == 1 } == 1)
        #expect(await shared.first { $0 == 1 } == 1)
        scope.cancel()
    }

    // E5
    @Test func `while subscribed stops after the timeout, which restarts at each departure`() async {
        let shared = share(.whileSubscribed(stopTimeout: .seconds(5)))
        var subscription = shared.subscribe(.lossless) { _ in }
        #expect(await shared.first { $0 == 1 } == 1)
        subscription.cancel()
        await clock.sleepers(1)
        clock.advance(by: .seconds(4))
        subscription = shared.subscribe(.lossless) { _ in }
        await clock.sleepers(atMost: 0)
        subscription.cancel()
        await clock.sleepers(1)
        clock.advance(by: .seconds(4))
        // Eight seconds in all, but never five without a subscriber: the same collection goes on.
        upstream.source.value = 2
        subscription = shared.subscribe(.lossless) { _ in }
        await clock.sleepers(atMost: 0)
        #expect(await shared.first { $0 == 2 } == 2)
        #expect(upstream.collected.value == 1)
        subscription.cancel()
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        _ = await upstream.source.subscriptionCount.first { $0 == 0 }
        upstream.source.value = 3
        #expect(shared.value == 2)
        subscription = shared.subscribe(.lossless) { _ in }
        #expect(await shared.first { $0 == 3 } == 3)
        #expect(upstream.collected.value == 2)
        scope.cancel()
    }

    // E6
    @Test func `the value is reset only after its own delay`() async {
        let shared = share(.whileSubscribed(stopTimeout: .seconds(5), replayExpiration: .seconds(60)))
        #expect(await shared.first { $0 == 1 } == 1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        _ = await upstream.source.subscriptionCount.first { $0 == 0 }
        await clock.sleepers(1)
        clock.advance(by: .seconds(59))
        #expect(shared.value == 1)
        clock.advance(by: .seconds(1))
        await clock.sleepers(atMost: 0)
        // The wait is over; the reset is what its job does next.
        await scope.join()
        #expect(shared.value == 0)
        scope.cancel()
    }

    // E7
    @Test func `when the upstream ends, the value stays and subscribers wait on`() async {
        let shared = share(.eagerly)
        let seen = Seen<Int>()
        let ends = Seen<FlowEnd>()
        let subscription = shared.subscribe(.lossless, onValue: { seen.add($0) }, onEnd: { ends.add($0) })
        upstream.source.finish()
        await scope.join()
        #expect(shared.value == 1)
        #expect(seen.all.last == 1)
        #expect(ends.all.isEmpty)
        subscription.cancel()
        scope.cancel()
    }

    // E8
    @Test func `when the upstream fails, the handler is told once, the value stays, and it can start again`() async {
        let failures = Seen<String>()
        let shared = share(.lazily) { failures.add(String(describing: $0)) }
        #expect(await shared.first { $0 == 1 } == 1)
        upstream.source.value = -1
        #expect(await failures.count(atLeast: 1) == ["Broken()"])
        #expect(shared.value == 1)
        await scope.join()
        upstream.source.value = 2
        #expect(await shared.first { $0 == 2 } == 2)
        #expect(failures.all.count == 1)
        #expect(upstream.collected.value == 2)
        scope.cancel()
    }

    // E9
    @Test func `on a scope cancelled before, the flow ends at once`() async {
        scope.cancel()
        let shared = share(.eagerly)
        let seen = Seen<Int>()
        #expect(await shared.collect { seen.add($0) } == .finished)
        #expect(seen.all == [0])
        #expect(upstream.collected.value == 0)
    }

    // E10
    @Test func `letting go of the flow does not stop it, cancelling the scope does`() async {
        let ended = Signal()
        do {
            let shared = share(.eagerly)
            #expect(await shared.first { $0 == 1 } == 1)
            let began = Signal()
            scope.launch {
                await shared.collect { _ in began.happen() }
                ended.happen()
            }
            await began.wait()
        }
        #expect(upstream.source.subscriptionCount.value == 1)
        #expect(!ended.hasHappened)
        scope.cancel()
        await ended.wait()
        await scope.join()
        #expect(upstream.source.subscriptionCount.value == 0)
    }

    @Test func `a state flow is shared from its current value on`() async {
        let shared = upstream.source.stateIn(scope, started: .eagerly, clock: clock)
        #expect(shared.value == 1)
        upstream.source.value = 2
        #expect(await shared.first { $0 == 2 } == 2)
        scope.cancel()
    }

    @Test func `what an older wait or an older collection brings is known for what it is`() {
        var machine = SharingMachine(.whileSubscribed(stopTimeout: .seconds(1), replayExpiration: .seconds(2)))
        #expect(machine.begin() == [])
        #expect(machine.subscribers(1) == [.start(collection: 1)])
        #expect(machine.subscribers(0) == [.wait(.seconds(1), number: 2)])
        #expect(machine.subscribers(1) == [.endWait])
        #expect(machine.elapsed(wait: 2) == [])
        #expect(machine.subscribers(0) == [.wait(.seconds(1), number: 4)])
        #expect(machine.elapsed(wait: 4) == [.stop(collection: 1), .wait(.seconds(2), number: 5)])
        #expect(!machine.isCurrent(1))
        #expect(machine.subscribers(1) == [.endWait, .start(collection: 2)])
        #expect(machine.elapsed(wait: 5) == [])
        #expect(machine.isCurrent(2))
        #expect(!machine.isLast(1))
    }

    @Test func `nobody coming starts nothing, and a value that is not to be kept goes with its collection`() {
        var lazy = SharingMachine(.lazily)
        #expect(lazy.subscribers(0) == [])
        #expect(lazy.subscribers(1) == [.start(collection: 1)])
        #expect(lazy.subscribers(1) == [])
        var machine = SharingMachine(.whileSubscribed(stopTimeout: .zero, replayExpiration: .zero))
        #expect(machine.subscribers(1) == [.start(collection: 1)])
        #expect(machine.subscribers(0) == [.stop(collection: 1), .reset(afterCollection: 1)])
    }

    @Test func `a subscriber who comes after a wait was over ends no other wait`() {
        var machine = SharingMachine(.whileSubscribed(stopTimeout: .seconds(1)))
        #expect(machine.subscribers(1) == [.start(collection: 1)])
        #expect(machine.subscribers(0) == [.wait(.seconds(1), number: 2)])
        #expect(machine.elapsed(wait: 2) == [.stop(collection: 1)])
        #expect(machine.subscribers(1) == [.start(collection: 2)])
    }
}
