package import WeirOperations
package import WeirStates

/// An operation without its types: what the board and the pages know of it.
package struct CatalogEntry: Sendable {
    /// The id, as in URLs.
    package let id: String
    /// What a person calls it, in English.
    package let title: String
    /// What it does, in a sentence, in English.
    package let summary: String
    /// The fields of its input.
    package let fields: [InputField]
    /// What a second start does while a run is going.
    package let reentry: ReentryPolicy
    /// When runs begin and end.
    package let lifetime: Lifetime
    /// After how long a run fails.
    package let timeout: Duration?
    /// Which ticks of its runs are recorded.
    package let ticks: TickRecording
    /// The tags by which roles can be given.
    package let tags: Set<String>
    /// Whether its runs print lines of output.
    package let prints: Bool
    /// The state of a run before its work begins.
    package let initial: StateRecord
    /// One state at least of every case.
    ///
    /// A state that cannot be encoded is left out and told in `problems`.
    package let samples: [StateRecord]
    /// What is wrong with the operation's own declarations, in sentences; empty when all is well.
    package let problems: [String]
    /// Whether its runs are reported by programs elsewhere, and cannot be started here.
    package let isReported: Bool
    /// The folder below `operations/default` whose templates show its states where it has none of its own.
    package let sharedTemplates: String?
    /// What is started by a schedule, and when; nil if it is started by hand only.
    package let schedule: ScheduledStart?
    /// The cases that only some runs pass through, which nobody should wait for.
    package let detours: Set<String>
    /// The steps that it consists of; nil for an operation with work of its own.
    package let plan: StepsPlan?
    /// The operation that it is a step of, and without which it cannot be started.
    package let partOf: String?
    /// The text that declares it, and what is wrong with the newest text; nil where Swift declares it.
    package var declaration: OperationDeclaration?
    /// Makes typed runs of it.
    let factory: any RunFactory

    init<Work: StateOperation>(
        _ operation: Work, id: String, title: String, summary: String, tags: Set<String>, reentry: ReentryPolicy,
        lifetime: Lifetime, timeout: Duration?, ticks: TickRecording, schedule: ScheduledStart? = nil,
        partOf: String? = nil
    ) {
        var problems: [String] = []
        func record(_ state: Work.State) -> StateRecord? {
            do {
                return try StateRecord(state)
            } catch {
                problems.append("\(id): the sample \(state) cannot be encoded: \(error)")
                return nil
            }
        }
        self.id = id
        self.title = title
        self.summary = summary
        self.reentry = reentry
        self.lifetime = lifetime
        self.timeout = timeout
        self.ticks = ticks
        self.tags = tags
        sharedTemplates = (Work.State.self as? any SharedTemplates.Type)?.templateFolder
        fields = operation.inputFields
        self.schedule = schedule
        prints = operation is any OutputOperation
        isReported = operation is ReportedOperation
        plan = (operation as? StepsOperation)?.plan
        self.partOf = partOf
        initial = record(Work.State.initial) ?? StateRecord(caseName: "value", phase: .idle)
        let declared = operation as? any DeclaredStates<Work.Input, Work.State>
        detours = ((Work.State.self as? any DetouringState.Type)?.detours ?? []).union(declared?.stateDetours ?? [])
        samples = (declared?.stateSamples ?? Work.State.samples).compactMap(record)
        factory = OperationFactory(operation, reentry: reentry, timeout: timeout, ticks: ticks)
        let (fields, isReported) = (fields, isReported)
        self.problems =
            problems + Self.problems(of: Work.State.self, id) + InputField.problems(in: fields).map { "\(id): \($0)" }
            + (schedule.map { Self.problems(of: $0, fields, isReported: isReported) } ?? []).map { "\(id): \($0)" }
            + Catalog.problems(with: tags, of: id)
    }

    /// Whether somebody can start it: it is neither reported from elsewhere nor a step of another.
    package var isStartable: Bool { !isReported && partOf == nil }

    /// Whether its runs continue after the server was restarted.
    package var isResumable: Bool { plan != nil }

    /// Where the states of an operation contradict what a run needs of them.
    private static func problems<State: OperationState>(of type: State.Type, _ id: String) -> [String] {
        let initial = State.initial
        let (failed, cancelled) = (State.failed(SampleError()), State.cancelled(from: initial))
        var problems: [String] = []
        if initial.phase.isEnded { problems.append("\(id): the initial state says that the run has ended") }
        if failed.phase != .failed { problems.append("\(id): failed(_:) must give a state whose phase is failed") }
        if cancelled.phase != .cancelled {
            problems.append("\(id): cancelled(from:) must give a state whose phase is cancelled")
        }
        return problems
    }
}

extension CatalogEntry {
    /// Why a schedule could never start the operation.
    private static func problems(
        of schedule: ScheduledStart, _ fields: [InputField], isReported: Bool
    ) -> [String] {
        if isReported { return ["it is reported by programs elsewhere, so a schedule cannot start it"] }
        do {
            _ = try InputField.validate(schedule.input, fields: fields)
            return []
        } catch {
            return ["the input of its schedule does not fit: \(error.description.replacing("\n", with: " "))"]
        }
    }
}

/// Some error, to look at what an operation makes of it.
private struct SampleError: Error, CustomStringConvertible {
    let description = "An example of an error."
}
