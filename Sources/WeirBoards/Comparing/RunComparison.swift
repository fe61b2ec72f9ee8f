package import WeirJournals
package import WeirStates

/// Compares two runs of one operation, state by state.
package struct RunComparison: Sendable {
    package struct Segment: Sendable, Hashable {
        package let state: Transition
        /// The time in the state in milliseconds, or nil for the final state.
        package let duration: Int64?
    }

    /// The states at one index in the sequences of states; one is nil if that run has fewer states.
    package struct Step: Sendable, Hashable {
        package let first: Segment?
        package let second: Segment?

        var isShared: Bool { first != nil && first?.state.caseName == second?.state.caseName }
        /// The difference of the durations in milliseconds, positive if the second is longer; nil unless the case is
        /// the same and both have a duration.
        package var difference: Int64? {
            guard isShared, let first = first?.duration, let second = second?.duration else { return nil }
            return second - first
        }
    }

    package let first: RunView
    package let second: RunView
    /// The states of both runs by index; for very long runs the newest 500.
    package let steps: [Step]
    /// The index of the first step with different states, or nil.
    package let parting: Int?
    package let differingInput: [String]
    /// The outputs side by side, if they were read.
    package var output: OutputComparison?
    /// The file of the operation, if one declares it.
    package var file: OperationFileChange?
    /// The steps by name; empty for an operation without steps.
    package private(set) var nodes: [StepComparison] = []

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
        nodes = nodes(values: [:])
    }

    /// Adds the values that the runs of steps reported, by the ids of these runs.
    package mutating func add(values: [String: [String: JSONValue]]) { nodes = nodes(values: values) }

    package static func length(of run: RunView) -> Int64 {
        max((run.record.endedAt ?? run.at) - run.record.startedAt, 0)
    }

    /// The states of a run with their durations.
    package static func legs(_ run: RunView) -> [Segment] {
        zip(run.transitions, run.transitions.dropFirst().map(Optional.some) + [nil]).map { state, next in
            let end = next?.at ?? (run.record.endedAt == nil ? run.at : nil)
            return Segment(state: state, duration: end.map { max($0 - state.at, 0) })
        }
    }
}

extension Board {
    /// Compares the current states of two runs of one operation.
    ///
    /// Throws `unknownRun`, `incomparable` for runs of different operations, and `unavailable`.
    func comparison(of first: String, with second: String) async throws(BoardError) -> RunComparison {
        let (first, second) = (try await view(of: first), try await view(of: second))
        guard first.record.operation == second.record.operation else {
            throw .incomparable(first.record.operation, second.record.operation)
        }
        return RunComparison(first, second)
    }

    /// The id of the newest successful run of the same operation that was started before a run.
    ///
    /// Throws `unknownRun`, also if there is no such successful run, and `unavailable`.
    func lastSuccess(before id: String) async throws(BoardError) -> String {
        let record = try await run(id)
        let query = RunQuery(
            operation: record.operation, phase: .succeeded, before: record.openedSequence, limit: 1)
        guard let success = try await runs(query).runs.first else { throw .noSuccess(before: id) }
        return success.id
    }
}
