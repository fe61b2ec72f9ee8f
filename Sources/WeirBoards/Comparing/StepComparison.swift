import WeirJournals
package import WeirStates

/// A step of two runs side by side, by its name; one is nil if that run has no such step.
package struct StepComparison: Sendable, Hashable {
    package struct Side: Sendable, Hashable {
        package let step: StepsProgress.Step
        /// The values that its run reported; empty if they are unknown.
        package let values: [String: JSONValue]
        /// The duration in milliseconds; nil for a step that is not over, that another run performed, or that was skipped.
        package var duration: Int64? {
            guard step.doneIn == nil, let began = step.began, let ended = step.ended else { return nil }
            return max(ended - began, 0)
        }
    }

    package let name: String
    package let first: Side?
    package let second: Side?

    /// The name for people, in English.
    package var title: String { (second ?? first)?.step.title ?? name }

    /// The difference of the durations in milliseconds, positive if the second is longer.
    package var difference: Int64? {
        guard let first = first?.duration, let second = second?.duration else { return nil }
        return second - first
    }

    /// The names of the values that differ, sorted.
    package var differingValues: [String] {
        let (before, after) = (first?.values ?? [:], second?.values ?? [:])
        return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    }

    /// Whether both runs have the step, with the same outcome, items and values.
    package var isSame: Bool {
        guard let first, let second else { return false }
        let items = { (step: StepsProgress.Step) in step.items.map { [$0.total, $0.succeeded, $0.failed] } }
        return first.step.status == second.step.status && items(first.step) == items(second.step)
            && differingValues.isEmpty
    }

    /// The steps of both runs in the order of the second, each step that only the first has after the one before it.
    static func steps(
        _ first: StepsProgress, _ second: StepsProgress, values: [String: [String: JSONValue]]
    ) -> [StepComparison] {
        var names = second.steps.map(\.name)
        for (index, step) in first.steps.enumerated() where !names.contains(step.name) {
            let before = first.steps.prefix(index).last.flatMap { names.firstIndex(of: $0.name) }
            names.insert(step.name, at: before.map { $0 + 1 } ?? 0)
        }
        let side = { (progress: StepsProgress, name: String) in
            progress.steps.first { $0.name == name }.map { Side(step: $0, values: values[$0.run ?? ""] ?? [:]) }
        }
        return names.map { StepComparison(name: $0, first: side(first, $0), second: side(second, $0)) }
    }
}

extension RunComparison {
    func nodes(values: [String: [String: JSONValue]]) -> [StepComparison] {
        guard let first = Self.progress(first), let second = Self.progress(second) else { return [] }
        return StepComparison.steps(first, second, values: values)
    }

    var stepRuns: [String] { nodes.flatMap { [$0.first, $0.second].compactMap { $0?.step.run } } }

    private static func progress(_ run: RunView) -> StepsProgress? {
        guard run.record.state.payload["steps"]?.array?.isEmpty == false else { return nil }
        return try? run.record.state.payload.decode(StepsProgress.self)
    }
}
