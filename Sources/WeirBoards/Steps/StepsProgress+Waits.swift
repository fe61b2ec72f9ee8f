package import WeirOperations

extension StepsProgress {
    /// The sleeps on the board's clock when all steps wait for the end of work, a decision or time: those of timeouts and
    /// pauses, and the number of those of decisions.
    ///
    /// `working` and `checking` return how many runs of a step's operation, and of its condition, wait.
    ///
    /// - Returns: Nil if a step is about to change without any of these.
    package func waits(
        in plan: StepsPlan, isStopping: Bool, working: (String) -> Int, checking: (String) -> Int
    ) -> (sleeps: [Duration], decisions: Int)? {
        guard var machine = StepsMachine(plan, from: self), !steps.allSatisfy(\.status.isOver), !steps.isEmpty else {
            return nil
        }
        if isStopping { machine.stop(nil) }
        guard machine.next().isEmpty, machine.progress.steps == steps else { return nil }
        var (sleeps, decisions): ([Duration], Int) = ([], 0)
        for (step, known) in zip(plan.steps, steps) {
            let active = working(step.name)
            let pause = step.retry?.interval ?? step.repetition?.interval
            sleeps += step.timeout.map { Array(repeating: $0, count: max(0, active)) } ?? []
            if isStopping, !step.isFinally, !known.status.isOver, known.status != .pending { return nil }
            switch known.status {
            case .running where known.items != nil && known.progress != nil:
                guard let items = known.items else { return nil }
                let running = items.indices(.running).count
                let rest = running + items.indices(.pending).count
                let atOnce = step.forEach?.atOnce ?? plan.atOnce
                guard rest > 0, active <= running, isStopping || running == min(atOnce, rest) else { return nil }
                // Items whose run has ended, and that run again.
                guard let pause else {
                    if running > active { return nil }
                    break
                }
                sleeps += Array(repeating: pause, count: max(0, running - active))
            case .running:
                guard active + checking(step.name) == 1 else { return nil }
            case .retrying: sleeps += pause.map { [$0] } ?? []
            case .asking: decisions += known.until == nil ? 0 : 1
            case .pending, .succeeded, .failed, .cancelled, .interrupted, .skipped: break
            }
            if known.status != .running, active > 0 { return nil }
        }
        return (sleeps, decisions)
    }
}
