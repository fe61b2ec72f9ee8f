import Testing
import TestSupport

@testable import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct JobQueueTests {
    @Test func `a thread that waits for work is let go when there will be none`() async {
        let queue = JobQueue()
        let waits = Signal()
        let isOver = Seen<Bool>()
        let taking = Task {
            await onThreads(1) { _ in
                queue.begin()
                waits.happen()
                var batch: [UnownedJob] = []
                isOver.add(!queue.take(&batch))
            }
        }
        await waits.wait()
        // It has every chance to fall asleep.
        for _ in 0..<10_000 { await Task.yield() }
        queue.close()
        #expect(await soon { await taking.value } != nil)
        #expect(isOver.all == [true])
    }
}
