import WeirJournals
import WeirOperations
import WeirStates

extension StepsRun {
    /// Runs a step once for each item of a list, up to a number at the same time.
    func perform(_ task: StepTask, for forEach: StepsPlan.ForEach) async {
        let list: [StepItem]
        do throws(StepRefusal) {
            list = try await values.items(forEach.list, at: moment(of: task.step))
        } catch {
            guard !error.isShutdown, !isClosing else { return }
            return change { $0.end(task.index, .failed, at: host.now, error.ending(of: task.step.name)) }
        }
        let (now, digest) = (host.now, StepItems.digest(of: list))
        change(task.index) { step in
            if step.items?.digest != digest { step.items = StepItems(total: list.count, digest: digest) }
            (step.status, step.began) = (.running, step.began ?? now)
            step.progress = step.items?.progress
        }
        await performItems(task, list, atOnce: forEach.atOnce ?? plan.atOnce)
        guard !isClosing, let items = progress.steps[task.index].items else { return }
        let (status, ending) = items.end(of: task.step.name, isStopped: isHalted(task.step))
        change { $0.end(task.index, status, at: host.now, ending) }
    }

    private func performItems(_ task: StepTask, _ list: [StepItem], atOnce: Int) async {
        let items = progress.steps[task.index].items
        let begun = items?.indices(.running) ?? []
        var waiting = (begun + (items?.indices(.pending) ?? [])).filter(list.indices.contains)[...]
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            while !waiting.isEmpty || running > 0 {
                while running < atOnce, !isHalted(task.step), let index = waiting.popFirst() {
                    group.addTask { await self.perform(task, list[index], isBegun: begun.contains(index)) }
                    running += 1
                }
                guard running > 0, await group.next() != nil else { break }
                running -= 1
            }
        }
    }

    private func perform(_ task: StepTask, _ item: StepItem, isBegun: Bool) async {
        var own = task
        own.item = item
        mark(task, item, .running)
        let end = isBegun ? await continued(own, from: 1) : await attempts(own, from: 1)
        guard case .over(let status, _, let ending) = end else { return }
        guard let mark = StepItems.Mark(status) else { return }
        var failure: StepItems.Failure?
        if mark != .succeeded, !isHalted(task.step) {
            let run = await host.newestRun(of: own.key, from: 1, operation: own.operation).run?.id
            failure = .init(index: item.index, item: item.text, run: run, detail: run == nil ? ending?.detail : nil)
        }
        self.mark(task, item, mark, failure)
    }

    private func mark(
        _ task: StepTask, _ item: StepItem, _ mark: StepItems.Mark, _ failure: StepItems.Failure? = nil
    ) {
        change(task.index) { step in
            step.items?.mark(item.index, mark)
            if let failure { step.items?.note(failure) }
            step.progress = step.items?.progress
        }
    }
}

extension StepItems.Mark {
    fileprivate init?(_ status: StepsProgress.Status) {
        switch status {
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        case .interrupted: self = .interrupted
        case .pending, .running, .asking, .retrying, .skipped: return nil
        }
    }
}

extension StepItems {
    static func digest(of items: [StepItem]) -> String {
        var hash = StableHash()
        for item in items { hash.combine(((try? item.value.text()) ?? "").utf8 + [10]) }
        return String(hash.value, radix: 16)
    }

    var progress: WorkProgress { WorkProgress(Int64(succeeded + failed), of: Int64(total)) }

    /// How the step ends when no item runs any more.
    func end(of step: String, isStopped: Bool) -> (status: StepsProgress.Status, ending: StepsProgress.Ending?) {
        let failures = count(.failed)
        if isStopped, succeeded < total { return (.cancelled, nil) }
        if failures > 0 {
            let reason = self.failures.first { $0.detail != nil }?.detail
            return (.failed, .init(.stepFailed, step: step, detail: reason, items: .init(self)))
        }
        if count(.interrupted) > 0 { return (.interrupted, .init(.stepInterrupted, step: step)) }
        if count(.cancelled) > 0 { return (.cancelled, .init(.stepCancelled, step: step)) }
        return (.succeeded, nil)
    }
}
