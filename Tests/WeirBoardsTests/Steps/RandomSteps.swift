import WeirOperations
import WeirStates

@testable import WeirBoards

/// How a step ends if it begins.
struct StepFate: Sendable {
    /// Its end; `skipped` if its own condition is not met.
    var status: StepsProgress.Status
    /// The number of its runs until then.
    var attempts = 1
    /// The end of each item of a step that runs once for each of a list.
    var items: [StepItems.Mark] = []
    /// Whether it ends in that way although the whole run was cancelled.
    var outrunsCancellation = false
}

/// A plan with random features, and the fate of each step.
struct RandomSteps: Sendable, CustomStringConvertible {
    let plan: StepsPlan
    var fates: [StepFate]

    var names: [String] { plan.steps.map(\.name) }

    init(using random: inout some RandomNumberGenerator, sizes: ClosedRange<Int> = 1...8) {
        let count = Int.random(in: sizes, using: &random)
        // A step can only need those of a lower rank, so that no circle arises; the file can name them later.
        let isGraph = random.isLikely(3, of: 4)
        let ranks = isGraph ? (0..<count).shuffled(using: &random) : Array(0..<count)
        let isFinally = (0..<count).map { _ in random.isLikely(1, of: 6) }
        var steps: [StepsPlan.Step] = []
        fates = []
        for index in 0..<count {
            let lower = (0..<count).filter { ranks[$0] < ranks[index] && !isFinally[$0] }.map(Self.name)
            let made = Self.step(index, lower, isGraph, isFinally[index], using: &random)
            steps.append(made.step)
            fates.append(made.fate)
        }
        plan = StepsPlan(
            steps, atOnce: Int.random(in: 1...4, using: &random), stopsAfterFailure: random.isLikely(1, of: 4))
    }

    static func name(_ index: Int) -> String { "s\(index)" }

    private static func step(
        _ index: Int, _ lower: [String], _ isGraph: Bool, _ isFinally: Bool,
        using random: inout some RandomNumberGenerator
    ) -> (step: StepsPlan.Step, fate: StepFate) {
        var fate = Self.fate(using: &random)
        var after: Set<String> = []
        var needs: [String]?
        if !isFinally {
            if random.isLikely(1, of: 5) {
                after = Set(lower.shuffled(using: &random).prefix(random.isLikely(2, of: 3) ? 1 : 2))
            }
            // One step has `needs`, even if it is empty, so that the plan is a graph.
            if isGraph, lower.isEmpty || random.isLikely(4, of: 5) {
                needs = Array(lower.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
            }
        }
        var retry: StepsPlan.Retry?
        var repetition: StepsPlan.Repetition?
        var forEach: StepsPlan.ForEach?
        let outcome: [StepValue.Part] = isFinally ? [.text("?"), .special(.outcome)] : []
        var work = StepsPlan.Work.run(operation: "echo", input: ["label": StepValue([.text(name(index))] + outcome)])
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            work = .approval(.init(prompt: StepValue([.text("?")])))
            if fate.status == .cancelled || fate.status == .interrupted { fate.status = .failed }
        case 1:
            retry = .init(limit: 2, interval: .zero)
            fate.attempts = fate.status == .failed ? 3 : Int.random(in: 1...3, using: &random)
        case 2:
            repetition = .init(interval: .zero, until: .init([.init(.own("text"), .isOneOf(["done"]))]), limit: 3)
            fate.attempts = fate.status == .failed ? 3 : Int.random(in: 1...3, using: &random)
        case 3:
            let count = Int.random(in: 0...4, using: &random)
            forEach = .init(
                .fixed((0..<count).map { .integer(Int64($0)) }),
                atOnce: random.isLikely(1, of: 2) ? Int.random(in: 1...3, using: &random) : nil)
            work = .run(
                operation: "echo", input: ["label": StepValue([.text("\(name(index))/"), .special(.index)])])
            fate.items = (0..<count).map { _ in fate.item(using: &random) }
            if fate.status != .skipped { fate.status = fate.statusOfItems }
        default: break
        }
        let condition = StepCondition([.init(.input("name"), .isOneOf([fate.status == .skipped ? "Eve" : "Ada"]))])
        let step = StepsPlan.Step(
            name(index), work, retry: retry, afterFailureOf: after, isRepeatable: random.isLikely(1, of: 2),
            needs: needs, allowsFailure: random.isLikely(1, of: 6), isFinally: isFinally,
            condition: fate.status == .skipped || random.isLikely(1, of: 8) ? condition : nil, forEach: forEach,
            repetition: repetition)
        return (step, fate)
    }

    private static func fate(using random: inout some RandomNumberGenerator) -> StepFate {
        let outruns = random.isLikely(1, of: 6)
        let status: StepsProgress.Status =
            switch Int.random(in: 0..<20, using: &random) {
            case 0...12: .succeeded
            case 13...15: .failed
            case 16: .cancelled
            case 17: .interrupted
            default: .skipped
            }
        return StepFate(status: status, outrunsCancellation: outruns)
    }

    /// Other fates for the same steps, except for the items that a retry took over.
    func again(_ progress: StepsProgress, using random: inout some RandomNumberGenerator) -> RandomSteps {
        var again = self
        for index in fates.indices where fates[index].status != .skipped {
            again.fates[index].attempts = 1
            again.fates[index].status = random.isLikely(3, of: 4) ? .succeeded : .failed
            guard plan.steps[index].forEach != nil else { continue }
            let done = progress.steps[index].items?.indices(.succeeded) ?? []
            again.fates[index].items = fates[index].items.indices.map { item in
                done.contains(item) || random.isLikely(3, of: 4) ? .succeeded : .failed
            }
            again.fates[index].status = again.fates[index].statusOfItems
        }
        return again
    }

    /// The plan and the fates, to reproduce a failure.
    var description: String {
        let steps = zip(plan.steps, fates).map { step, fate in
            var words = [step.name]
            if let needs = step.needs { words.append("needs \(needs)") }
            if !step.afterFailureOf.isEmpty { words.append("after failure of \(step.afterFailureOf.sorted())") }
            if step.allowsFailure { words.append("may fail") }
            if step.isFinally { words.append("finally") }
            if step.approval != nil { words.append("approval") }
            if step.forEach != nil { words.append("items \(fate.items.map(\.rawValue))") }
            if step.isRepeatable { words.append("repeatable") }
            if fate.attempts > 1 { words.append("\(fate.attempts) attempts") }
            if fate.outrunsCancellation { words.append("outruns") }
            return (words + ["-> \(fate.status)"]).joined(separator: " ")
        }
        return "at once \(plan.atOnce)\(plan.stopsAfterFailure ? ", stop" : ""): \(steps.joined(separator: "; "))"
    }
}

extension StepFate {
    /// The end that the items give to their step.
    var statusOfItems: StepsProgress.Status {
        if items.contains(.failed) { return .failed }
        if items.contains(.interrupted) { return .interrupted }
        return items.contains(.cancelled) ? .cancelled : .succeeded
    }

    fileprivate func item(using random: inout some RandomNumberGenerator) -> StepItems.Mark {
        guard status != .succeeded, random.isLikely(1, of: 2) else { return .succeeded }
        switch status {
        case .failed: return .failed
        case .cancelled: return .cancelled
        case .interrupted: return .interrupted
        default: return .succeeded
        }
    }
}

extension RandomNumberGenerator {
    mutating func isLikely(_ part: Int, of whole: Int) -> Bool { Int.random(in: 0..<whole, using: &self) < part }
}
