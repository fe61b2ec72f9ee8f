import WeirJournals
import WeirOperations

extension StepsRun {
    func ask(_ index: Int, _ step: StepsPlan.Step, _ approval: StepsPlan.Approval) async {
        let now = host.now
        let prompt = await values.text(approval.prompt, at: moment(of: step))
        let over = Deferred<Bool>()
        host.decisions.open(step.name) { [weak self] decision in
            self?.decide(index, step, decision)
            over.resolve(true)
        }
        defer { host.decisions.close(step.name) }
        // Published after the approval accepts decisions, unless one has already been made.
        change(index) { step in
            guard step.status != .asking, step.decision == nil else { return }
            (step.status, step.began, step.prompt) = (.asking, now, prompt)
            step.until = approval.within.map { now.after($0.milliseconds) }
        }
        await interrupting(step, by: { over.resolve(true) }) {
            guard let until = progress.steps[index].until else {
                _ = await over.value()
                return
            }
            // Waits in intervals, so that a change of the system time is noticed.
            while over.resolved == nil, until > host.now {
                let rest = min(until - host.now, 30_000)
                _ = await over.value(within: .milliseconds(rest), clock: host.clock)
            }
        }
        guard !isClosing else { return }
        if isHalted(step) { return change { $0.end(index, .cancelled, at: host.now, nil) } }
        let nobody = StepsProgress.Decision(isApproved: approval.approvesByItself, by: nil)
        _ = host.decisions.decide(nobody, at: step.name)
    }

    private func decide(_ index: Int, _ step: StepsPlan.Step, _ decision: StepsProgress.Decision) {
        let ending: StepsProgress.Ending =
            decision.by.map { .init(.refused, step: step.name, by: $0, detail: decision.comment) }
            ?? .init(.lapsed, step: step.name)
        change {
            $0.change(index) { $0.decision = decision }
            $0.end(index, decision.isApproved ? .succeeded : .failed, at: host.now, decision.isApproved ? nil : ending)
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000)
        return isOver ? .max : whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}
