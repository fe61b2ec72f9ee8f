import WeirFlows

extension Store {
    /// Cancels the work with an id, or all work; from now on none of it can dispatch.
    public func cancelWork(id: String?) {
        let gone = machine.withLock { $0.cancel(id: id) }
        let jobs = jobs.withLock { jobs in gone.compactMap { jobs.removeValue(forKey: $0) } }
        for job in jobs { job.cancel() }
    }

    func obey(_ commands: [WorkCommand<Action>], _ settlement: Settlement) {
        for command in commands {
            switch command {
            case .cancel(let id): cancelWork(id: id)
            case .run(let id, let cancelInFlight, let body):
                if cancelInFlight, let id { cancelWork(id: id) }
                start(id: id, settlement, body)
            }
        }
    }

    private func start(
        id: String?, _ settlement: Settlement, _ body: @escaping @Sendable (Dispatcher<Action>) async -> Void
    ) {
        let work = machine.withLock { $0.begin(id: id) }
        let dispatch = dispatch(of: work, settlement)
        settlement.enter()
        let end = WorkEnd { [weak self] in
            self?.forget(work)
            settlement.leave()
        }
        let job = scope.launch {
            await body(dispatch)
            withExtendedLifetime(end) {}
        }
        jobs.withLock { $0[work] = job }
        guard machine.withLock({ !$0.isGoing(work) }) else { return }
        // It ended or was cancelled before it could be registered.
        jobs.withLock { $0.removeValue(forKey: work) }?.cancel()
    }

    private func forget(_ work: Int) {
        machine.withLock { $0.end(work) }
        jobs.withLock { _ = $0.removeValue(forKey: work) }
    }

    private func dispatch(of work: Int, _ settlement: Settlement) -> Dispatcher<Action> {
        Dispatcher(
            send: { [weak self] action, cause in
                guard let self, machine.withLock({ $0.isGoing(work) }) else {
                    return DispatchReceipt(rejected: .workCancelled)
                }
                return take(.action(action), cause: cause, settlement: settlement)
            },
            command: { [weak self] command in
                guard let self, machine.withLock({ $0.isGoing(work) }) else { return }
                obey([command], settlement)
            })
    }
}

/// Reports that a piece of work is over: its body returned, or was released without ever running.
final class WorkEnd: Sendable {
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    deinit {
        tell()
    }
}
