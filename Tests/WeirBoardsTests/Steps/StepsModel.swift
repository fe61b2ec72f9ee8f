import WeirOperations

@testable import WeirBoards

/// What must have become of each step, from the plan, the fates, and when the run was stopped.
///
/// Written from the rules for users, without a machine: each result follows from those of the steps before it.
struct StepsModel {
    struct Result: Hashable {
        var status: StepsProgress.Status
        var because: StepsProgress.Because.Kind?
        /// The step because of which it was skipped.
        var step: String?
    }

    /// A moment from which no ordinary step begins.
    struct Cut {
        /// The steps that had begun, including those that were over.
        var begun: Set<Int>
        var over: Set<Int>
        /// The step whose failure it is.
        var step: String?
    }

    private let plan: StepsPlan
    private let fates: [StepFate]
    private let cancellation: Cut?
    private let failure: Cut?
    private var results: [Result?]
    private let isGraph: Bool

    /// The results; `kept` are those that a retry took over.
    static func results(
        _ plan: StepsPlan, _ fates: [StepFate], cancellation: Cut? = nil, failure: Cut? = nil, kept: [Int: Result] = [:]
    ) -> [Result] {
        var model = StepsModel(plan, fates, cancellation, failure, kept)
        return plan.steps.indices.map { model.result(of: $0) }
    }

    private init(
        _ plan: StepsPlan, _ fates: [StepFate], _ cancellation: Cut?, _ failure: Cut?, _ kept: [Int: Result]
    ) {
        self.plan = plan
        self.fates = fates
        self.cancellation = cancellation
        self.failure = failure
        results = plan.steps.indices.map { kept[$0] }
        isGraph = plan.steps.contains { $0.needs != nil }
    }

    private mutating func result(of index: Int) -> Result {
        if let known = results[index] { return known }
        let result = decided(index)
        results[index] = result
        return result
    }

    private mutating func result(of name: String) -> Result {
        plan.steps.firstIndex { $0.name == name }.map { result(of: $0) } ?? Result(status: .pending)
    }

    private mutating func decided(_ index: Int) -> Result {
        let step = plan.steps[index]
        if step.isFinally { return run(index) }
        if let cut = cancellation, !cut.begun.contains(index), !cut.over.contains(index) {
            let isShown = isGraph || plan.steps.contains(where: \.isFinally)
            return isShown ? Result(status: .skipped, because: .stopped) : Result(status: .pending)
        }
        guard isGraph else { return inLine(index, step) }
        if plan.stopsAfterFailure, step.afterFailureOf.isEmpty, let cut = failure, !cut.begun.contains(index),
            !cut.over.contains(index)
        {
            return Result(status: .skipped, because: .stopped, step: cut.step)
        }
        for need in step.needs ?? [] {
            let result = result(of: need)
            if result.isGood(plan.step(need)) { continue }
            guard result.status == .skipped else { return Result(status: .skipped, because: .need, step: need) }
            return result
        }
        return afterFailure(index, step) ?? run(index)
    }

    private mutating func inLine(_ index: Int, _ step: StepsPlan.Step) -> Result {
        guard step.afterFailureOf.isEmpty else { return afterFailure(index, step) ?? run(index) }
        for other in 0..<index where !plan.steps[other].isFinally {
            let result = result(of: other)
            guard result.status != .skipped, !result.isGood(plan.steps[other]) else { continue }
            return Result(status: .skipped, because: .need, step: plan.steps[other].name)
        }
        return run(index)
    }

    /// The skip of a step that follows only failures, if none happened.
    private mutating func afterFailure(_ index: Int, _ step: StepsPlan.Step) -> Result? {
        if step.afterFailureOf.isEmpty { return nil }
        for other in step.afterFailureOf {
            let status = result(of: other).status
            if status == .failed || status == .interrupted { return nil }
        }
        return Result(status: .skipped, because: .noFailure)
    }

    private func run(_ index: Int) -> Result {
        let fate = fates[index]
        if let cut = cancellation, !plan.steps[index].isFinally, !fate.outrunsCancellation, !cut.over.contains(index) {
            return Result(status: .cancelled)
        }
        return Result(status: fate.status, because: fate.status == .skipped ? .condition : nil)
    }
}

extension StepsModel.Result {
    init(_ step: StepsProgress.Step) {
        self.init(status: step.status, because: step.because?.kind, step: step.because?.step)
    }

    /// Whether the steps that need it begin.
    func isGood(_ step: StepsPlan.Step?) -> Bool {
        switch status {
        case .succeeded: true
        case .skipped: because == .condition || because == .noFailure
        case .failed, .cancelled, .interrupted: step?.allowsFailure == true
        case .pending, .running, .asking, .retrying: false
        }
    }

    /// Whether the whole run does not succeed because of it.
    func isFatal(_ step: StepsPlan.Step) -> Bool {
        (status == .failed || status == .cancelled || status == .interrupted) && !step.allowsFailure
    }
}
