import Foundation
import Testing
import TestSupport
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct CollectorExecutorTests {
    @Test func `collectors of a scope run on its executor, one at a time`() async {
        let executor = CollectorExecutor()
        let scope = FlowScope(executor: executor)
        let flow = MutableStateFlow(0)
        let inside = MutableStateFlow(0)
        let overlaps = MutableStateFlow(0)
        let seen = Seen<Int>()
        for _ in 0..<20 {
            scope.launch {
                await flow.collect(.lossless) { value in
                    if inside.update({ $0 + 1 }).new != 1 { overlaps.update { $0 + 1 } }
                    seen.add(value)
                    inside.update { $0 - 1 }
                }
            }
        }
        _ = await seen.count(atLeast: 20)
        flow.value = 1
        #expect(await seen.count(atLeast: 40).suffix(20).allSatisfy { $0 == 1 })
        #expect(overlaps.value == 0)
        scope.cancel()
        await scope.join()
        executor.close()
    }

    @Test func `tasks that keep each other busy there leave room for what other threads bring`() async {
        let executor = CollectorExecutor()
        let scope = FlowScope(executor: executor)
        let ball = MutableStateFlow(0)
        let isOver = MutableStateFlow(false)
        for player in 0..<2 {
            scope.launch {
                await ball.collect { if $0 % 2 == player, !isOver.value { ball.value = $0 + 1 } }
            }
        }
        _ = await ball.first { $0 > 1_000 }
        #expect(await soon { await scope.launch {}.join()?.isFinished == true } == true)
        isOver.value = true
        scope.cancel()
        await scope.join()
        executor.close()
    }

    // The thread is gone by then, or goes: whoever closes executors must not be left with their threads.
    @Test func `after the close a job runs on the thread that makes it ready`() async {
        let executor = CollectorExecutor()
        executor.close()
        let scope = FlowScope(executor: executor)
        let threads = Seen<pthread_t>()
        let job = launch(in: scope, noting: threads)
        #expect(await job.join()?.isFinished == true)
        #expect(threads.all.count == 2 && threads.all.first == threads.all.last)
    }

    @Test func `the jobs of a scope share a thread unless the caller prefers another`() async {
        #expect(await threads(of: FlowScope()).count == 1)
        let executor = CollectorExecutor()
        let owned = await threads(of: FlowScope(executor: executor))
        #expect(owned.count == 1)
        #expect(await threads(of: FlowScope(executor: executor)) == owned)
        executor.close()
        let scope = FlowScope(executor: nil)
        #expect(await executors(of: scope) == [false])
        #expect(await executors(of: FlowScope()) == [true])
    }

    /// The threads on which twenty collectors in the scope see their values.
    private func threads(of scope: FlowScope) async -> Set<pthread_t> {
        let flow = MutableStateFlow(0)
        let threads = Seen<pthread_t>()
        for _ in 0..<20 { scope.launch { await flow.collect { _ in self.note(threads) } } }
        _ = await threads.count(atLeast: 20)
        flow.value = 1
        let all = await threads.count(atLeast: 40)
        scope.cancel()
        await scope.join()
        return Set(all)
    }

    /// Whether a job of the scope prefers an executor.
    private func executors(of scope: FlowScope) async -> [Bool] {
        let seen = Seen<Bool>()
        await scope.launch { seen.add(withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }) }.join()
        return seen.all
    }

    private func launch(in scope: FlowScope, noting threads: Seen<pthread_t>) -> FlowJob {
        threads.add(pthread_self())
        return scope.launch { self.note(threads) }
    }

    private func note(_ threads: Seen<pthread_t>) { threads.add(pthread_self()) }
}
