package import WeirJournals
import WeirStates

/// Two runs of one operation, side by side: what each passed through, how long it took, and where they part.
package struct RunComparison: Sendable {
    /// A state of one of the runs.
    package struct Segment: Sendable, Hashable {
        /// The state.
        package let state: Transition
        /// How many milliseconds the run was in it; nil for the state it ended in.
        package let duration: Int64?
    }

    /// The states at one place in the order of states; one of them is nil where that run had ended before.
    package struct Step: Sendable, Hashable {
        /// The first run's.
        package let first: Segment?
        /// The second run's.
        package let second: Segment?

        /// Whether both are in the same case.
        package var isShared: Bool { first != nil && first?.state.caseName == second?.state.caseName }
        /// How many milliseconds longer the second run was in it; nil unless both were in the same case for a while.
        package var difference: Int64? {
            guard isShared, let first = first?.duration, let second = second?.duration else { return nil }
            return second - first
        }
    }

    /// The first run.
    package let first: RunView
    /// The second run.
    package let second: RunView
    /// What they passed through, place by place; of very long runs the newest 500.
    package let steps: [Step]
    /// The place in `steps` where they part; nil if they passed through the same states.
    package let parting: Int?
    /// The names of the members of the input that differ, in alphabetical order.
    package let differingInput: [String]

    /// Compares two runs.
    package init(_ first: RunView, _ second: RunView) {
        self.first = first
        self.second = second
        let (left, right) = (Self.legs(first), Self.legs(second))
        let steps = (0..<max(left.count, right.count)).map { place in
            Step(
                first: left.indices.contains(place) ? left[place] : nil,
                second: right.indices.contains(place) ? right[place] : nil)
        }
        self.steps = steps
        parting = steps.firstIndex { !$0.isShared }
        let (before, after) = (first.record.opening.input.object ?? [:], second.record.opening.input.object ?? [:])
        differingInput = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    }

    /// How many milliseconds a run took, or has taken so far.
    package static func length(of run: RunView) -> Int64 {
        max((run.record.endedAt ?? run.at) - run.record.startedAt, 0)
    }

    private static func legs(_ run: RunView) -> [Segment] {
        zip(run.transitions, run.transitions.dropFirst().map(Optional.some) + [nil]).map { state, next in
            let end = next?.at ?? (run.record.endedAt == nil ? run.at : nil)
            return Segment(state: state, duration: end.map { max($0 - state.at, 0) })
        }
    }
}
