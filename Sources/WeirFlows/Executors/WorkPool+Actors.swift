import Synchronization

extension WorkPool {
    /// The executor of an actor whose methods can take long: its jobs run one at a time on the threads of a pool.
    ///
    /// Actors of one pool take turns: after the jobs that were ready when its turn began, an actor waits for its next turn.
    package final class ActorExecutor: SerialExecutor {
        private struct State {
            var jobs: [UnownedJob] = []
            var isScheduled = false
        }

        private let pool: WorkPool
        private let state = Mutex(State())

        package init(_ pool: WorkPool) { self.pool = pool }

        /// Takes a job that is ready to run; called by the runtime.
        package func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let schedules = state.withLock { state in
                state.jobs.append(job)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if schedules { pool.submit { self.runReady() } }
        }

        private func runReady() {
            let jobs = state.withLock { state in
                defer { state.jobs.removeAll() }
                return state.jobs
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            let continues = state.withLock { state in
                state.isScheduled = !state.jobs.isEmpty
                return state.isScheduled
            }
            if continues { pool.submit { self.runReady() } }
        }
    }
}
