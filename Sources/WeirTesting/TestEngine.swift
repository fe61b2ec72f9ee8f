import WeirFlows
import WeirStores

/// A reducer under test with its work.
///
/// Holds the actions that work dispatches until the test receives them.
final class TestEngine<R: Reducer>: Sendable {
    private struct Held {
        var actions: [R.Action] = []
        var works: [Int: String?] = [:]
        var jobs: [Int: FlowJob] = [:]
        var nextWork = 0
    }

    private let scope = FlowScope()
    private let held = Locked(Held())
    /// Changes whenever work dispatches an action or ends.
    let news = MutableStateFlow(0)

    var waitingActions: [R.Action] { held.withLock { $0.actions } }
    var runningWork: [String?] { held.withLock { held in held.works.sorted { $0.key < $1.key }.map(\.value) } }

    func reduce(_ action: R.Action, _ state: R.State, by reducer: R) -> Reduced<R.State, R.Effect> {
        let commands = WorkCommands<R.Action>()
        let reduced = reducer.reduce(action, state, commands.dispatch)
        for command in commands.take() { obey(command) }
        return reduced
    }

    func takeAction() -> R.Action? {
        held.withLock { $0.actions.isEmpty ? nil : $0.actions.removeFirst() }
    }

    func cancelAll() { cancel { _ in true } }

    private func obey(_ command: WorkCommand<R.Action>) {
        switch command {
        case .cancel(let id): cancel { $0 == id }
        case .run(let id, let cancelInFlight, let body):
            if cancelInFlight, let id { cancel { $0 == id } }
            start(id: id, body)
        }
    }

    private func cancel(where matches: (String?) -> Bool) {
        let jobs = held.withLock { held in
            let gone = held.works.filter { matches($0.value) }.map(\.key)
            for work in gone { held.works[work] = nil }
            return gone.compactMap { held.jobs.removeValue(forKey: $0) }
        }
        for job in jobs { job.cancel() }
        tellNews()
    }

    private func start(id: String?, _ body: @escaping @Sendable (Dispatcher<R.Action>) async -> Void) {
        let work = held.withLock { held in
            held.nextWork += 1
            held.works[held.nextWork] = id
            return held.nextWork
        }
        let dispatch = Dispatcher<R.Action>(
            send: { [weak self] action, _ in self?.hold(action, from: work) ?? DispatchReceipt(rejected: .workCancelled)
            },
            command: { [weak self] command in self?.obey(command) })
        let job = scope.launch { [weak self] in
            await body(dispatch)
            self?.end(work)
        }
        let isGoing = held.withLock { held in
            guard held.works.keys.contains(work) else { return false }
            held.jobs[work] = job
            return true
        }
        // It ended or was cancelled before its job was registered.
        if !isGoing { job.cancel() }
    }

    private func hold(_ action: R.Action, from work: Int) -> DispatchReceipt? {
        let isGoing = held.withLock { held in
            guard held.works.keys.contains(work) else { return false }
            held.actions.append(action)
            return true
        }
        guard isGoing else { return nil }
        tellNews()
        return DispatchReceipt.held
    }

    private func end(_ work: Int) {
        held.withLock { held in
            held.works[work] = nil
            held.jobs[work] = nil
        }
        tellNews()
    }

    private func tellNews() { news.mutate { $0 += 1 } }
}
