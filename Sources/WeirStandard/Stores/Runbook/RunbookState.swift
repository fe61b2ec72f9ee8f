package import WeirStates

/// The current state of a checklist: its steps, and what happened to them.
package struct RunbookState: RecordableState {
    /// The title of the checklist.
    package let title: String
    /// Its sections, in the file's order; at the end, the steps that the file no longer has.
    package var sections: [RunbookSection]

    /// Makes a checklist.
    package init(title: String, sections: [RunbookSection]) {
        self.title = title
        self.sections = sections
    }

    /// The steps that the file has, in its order.
    package var steps: [RunbookStep] { sections.filter { !$0.isGone }.flatMap(\.steps) }

    /// How many bytes its comments have, those on steps that the file no longer has included.
    var commentBytes: Int {
        sections.flatMap(\.steps).flatMap(\.comments).reduce(0) { $0 + $1.text.utf8.count }
    }

    /// Whether no step is open any more.
    package var isFinished: Bool { steps.allSatisfy { $0.mark != nil } }

    /// Idle while nothing was done, active while something is open, then succeeded.
    package var phase: Phase {
        if isFinished { return .succeeded }
        return steps.contains { $0.mark != nil } ? .active : .idle
    }

    /// How many steps are done or skipped.
    package var progress: WorkProgress? {
        let steps = steps
        return WorkProgress(Int64(steps.count { $0.mark != nil }), of: Int64(steps.count))
    }

    /// The step with that id; nil if there is none.
    ///
    /// Setting it replaces the step, wherever it is.
    subscript(id: String) -> RunbookStep? {
        get {
            for section in sections {
                if let step = section.steps.first(where: { $0.id == id }) { return step }
            }
            return nil
        }
        set {
            guard let newValue else { return }
            for section in sections.indices {
                guard let index = sections[section].steps.firstIndex(where: { $0.id == id }) else { continue }
                sections[section].steps[index] = newValue
                return
            }
        }
    }
}
