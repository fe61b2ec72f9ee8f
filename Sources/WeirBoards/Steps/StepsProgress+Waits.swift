package import WeirOperations

extension StepsProgress {
    /// The number of sleeps on the board's clock when all steps wait for the end of work, a decision or time.
    ///
    /// `working` and `checking` return how many runs of a step's operation, and of its condition, are active.
    ///
    /// - Returns: Nil if a step is about to change without any of these.
    package func waits(
        in plan: StepsPlan, isStopping: Bool, working: (String) -> Int, checking: (String) -> Int
    ) -> Int? {
        guard var machine = StepsMachine(plan, from: self), !steps.allSatisfy(\.status.isOver), !steps.isEmpty else {
            return nil
        }
        if isStopping { machine.stop(nil) }
        guard machine.next().isEmpty, machine.progress.steps == steps else { return nil }
        var waits = 0
        for (step, known) in zip(plan.steps, steps) {
            let active = working(step.name)
            let timers = step.timeout == nil ? 0 : active
            switch known.status {
            case .running where known.items != nil && known.progress != nil:
                guard let items = known.items else { return nil }
                let running = items.indices(.running).count
                let rest = running + items.indices(.pending).count
                let atOnce = step.forEach?.atOnce ?? plan.atOnce
                guard rest > 0, active <= running, isStopping || running == min(atOnce, rest) else { return nil }
                waits += running - active + timers
            case .running:
                guard active + checking(step.name) == 1 else { return nil }
                waits += timers
            case .retrying: waits += 1
            case .asking: waits += known.until == nil ? 0 : 1
            case .pending, .succeeded, .failed, .cancelled, .interrupted, .skipped: break
            }
            if known.status != .running, active > 0 { return nil }
        }
        return waits
    }
}
