import Dispatch

/// Runs what tasks do one after the other, in the order in which they were made.
final class InOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "in order")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Does something once each task that was made before has come to where it waits.
    func afterwards(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
