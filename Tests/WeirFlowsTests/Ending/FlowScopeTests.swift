import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct FlowScopeTests {
    struct Broken: Error {}

    // F5
    @Test func `cancelling a scope ends its collectors and jobs, and join returns`() async {
        let flow = MutableStateFlow(0)
        let scope = FlowScope()
        let seen = Seen<Int>()
        let jobs = (0..<3).map { _ in scope.launch { await flow.collect { seen.add($0) } } }
        _ = await seen.count(atLeast: 3)
        scope.cancel()
        await scope.join()
        #expect(flow.subscriptionCount.value == 0)
        for job in jobs {
            #expect(job.isCompleted)
            #expect(job.outcome.value?.isCancelled == true)
        }
        #expect(scope.isCancelled)
    }

    @Test func `a cancelled scope begins nothing`() async {
        let scope = FlowScope()
        scope.cancel()
        let job = scope.launch { Issue.record("must not run") }
        #expect(job.isCompleted)
        #expect(job.isCancelled)
        await scope.join()
    }

    @Test func `cancelling the children leaves the scope open`() async {
        let scope = FlowScope()
        let flow = MutableStateFlow(0)
        let job = scope.launch { await flow.collect { _ in } }
        scope.cancelChildren()
        await scope.join()
        #expect(job.isCancelled)
        let next = scope.launch {}
        #expect(await next.join()?.isFinished == true)
    }

    @Test func `one job that fails leaves its siblings and the scope alone`() async {
        let failures = Seen<String>()
        let scope = FlowScope { failures.add(String(describing: type(of: $0))) }
        let go = Signal()
        let sibling = scope.launch { await go.wait() }
        let broken = scope.launch { throw Broken() }
        #expect(await broken.join()?.error is Broken)
        #expect(failures.all == ["Broken"])
        #expect(!sibling.isCompleted)
        go.happen()
        #expect(await sibling.join()?.isFinished == true)
        #expect(!scope.isCancelled)
    }

    // F6
    @Test func `cancelling who waits for a job does not cancel the job`() async {
        let scope = FlowScope()
        let go = Signal()
        let job = scope.launch { await go.wait() }
        let waiting = Task { await job.join() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        #expect(!job.isCancelled)
        go.happen()
        #expect(await job.join()?.isFinished == true)
    }

    @Test func `a job that ends by itself is no longer cancelled`() async {
        let scope = FlowScope()
        let job = scope.launch {}
        await job.join()
        job.cancel()
        #expect(!job.isCancelled)
    }
}
