import WeirStates

/// What a list of runs is ordered by; runs with equal values are ordered by their start.
package enum RunOrder: String, Sendable, Hashable, CaseIterable {
    /// When they were opened.
    case started
    /// How long they took; a run that continues takes longer than all others.
    case duration
    /// Their phase, in the order of `Phase`.
    case phase

    /// The value that a list in this order compares.
    package func key(of record: RunRecord) -> Int64 {
        switch self {
        case .started: record.openedSequence.rawValue
        case .duration: record.endedAt.map { $0 - record.startedAt } ?? .max
        case .phase: Int64(Phase.allCases.firstIndex(of: record.state.phase) ?? 0)
        }
    }

    /// A place in a list: between two runs.
    package struct Place: Sendable, Hashable {
        /// The value of the run before it.
        package let key: Int64
        /// The sequence at which that run was opened.
        package let opened: SequenceNumber

        /// Creates a place after a run.
        package init(key: Int64, opened: SequenceNumber) {
            self.key = key
            self.opened = opened
        }

        /// Reads the text that `description` writes, such as `1500.42`; nil for any other.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let key = Int64(parts[0]), let opened = SequenceNumber(parts[1]) else { return nil }
            self.init(key: key, opened: opened)
        }

        /// The place as a text in a URL.
        package var description: String { "\(key).\(opened)" }
    }

    /// The place after a run.
    package func place(of record: RunRecord) -> Place { Place(key: key(of: record), opened: record.openedSequence) }
}
