public import States

/// A checklist as it stands: what is to be done, and what became of it.
public struct RunbookState: RecordableState {
    /// What the checklist is for.
    public let title: String
    /// Its parts, in the file's order; at the end those steps that the file no longer has.
    public var sections: [RunbookSection]

    /// Makes a checklist.
    public init(title: String, sections: [RunbookSection]) {
        self.title = title
        self.sections = sections
    }

    /// The steps that the file has, in its order.
    public var steps: [RunbookStep] { sections.filter { !$0.isGone }.flatMap(\.steps) }

    /// Whether no step is open any more.
    public var isFinished: Bool { steps.allSatisfy { $0.mark != nil } }

    /// Idle while nothing was done, active while something is open, then succeeded.
    public var phase: Phase {
        if isFinished { return .succeeded }
        return steps.contains { $0.mark != nil } ? .active : .idle
    }

    /// How many steps are done or skipped.
    public var progress: WorkProgress? {
        let steps = steps
        return WorkProgress(Int64(steps.count { $0.mark != nil }), of: Int64(steps.count))
    }

    /// The step of that name; nil without one.
    ///
    /// Setting it replaces the step, wherever it stands.
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
