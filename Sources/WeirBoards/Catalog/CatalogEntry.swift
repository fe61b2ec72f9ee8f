package import WeirOperations
package import WeirStates

/// A type-erased operation with its metadata.
package struct CatalogEntry: Sendable {
    package let id: String
    package let title: String
    package let summary: String
    package let fields: [InputField]
    package let reentry: ReentryPolicy
    package let lifetime: Lifetime
    package let timeout: Duration?
    let ticks: TickRecording
    package let tags: Set<String>
    package let prints: Bool
    package let initial: StateRecord
    /// At least one state of every case.
    ///
    /// States that cannot be encoded are left out and listed in `problems`.
    package let samples: [StateRecord]
    /// A sentence for each defect of the operation's declarations.
    package let problems: [String]
    /// Whether programs elsewhere report its runs, so that they cannot be started here.
    package let isReported: Bool
    /// The folder below `operations/default` whose templates render its states if it has none of its own.
    package let sharedTemplates: String?
    package let schedule: ScheduledStart?
    /// The cases that only some runs enter, and that are therefore not expected of a run.
    package let detours: Set<String>
    /// The steps, or nil for an operation with its own work.
    package let plan: StepsPlan?
    /// The operation that it is a step of, or nil if it can be started separately.
    package let partOf: String?
    /// The text that declares it, with the mistakes of a newer text, or nil for an operation declared in Swift.
    package var declaration: OperationDeclaration?
    /// The presets of its form that its file declares.
    package var presets: [InputPreset] = []
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
            problems + Self.problems(of: Work.State.self, id)
            + InputField.problems(in: fields, isStep: partOf != nil).map { "\(id): \($0)" }
            + (schedule.map { Self.problems(of: $0, fields, isReported: isReported) } ?? []).map { "\(id): \($0)" }
            + Catalog.problems(with: tags, of: id)
    }

    /// Whether it can be started directly: it is neither reported nor a step of another.
    package var isStartable: Bool { !isReported && partOf == nil }

    /// Whether its runs continue after a restart of the server.
    package var isResumable: Bool { plan != nil }

    /// The required properties of operation states that a type violates.
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
    private static func problems(
        of schedule: ScheduledStart, _ fields: [InputField], isReported: Bool
    ) -> [String] {
        if isReported { return ["it is reported by programs elsewhere, so a schedule cannot start it"] }
        do {
            for input in schedule.inputs { _ = try InputField.validate(input, fields: fields) }
            return []
        } catch {
            return ["the input of its schedule does not fit: \(error.description.replacing("\n", with: " "))"]
        }
    }
}

private struct SampleError: Error, CustomStringConvertible {
    let description = "An example of an error."
}

/// The text that declares an operation, such as a file.
package struct OperationDeclaration: Sendable, Hashable {
    package let text: String
    let digest: String
    /// The mistakes of a newer text, each with its location; that text is not in force.
    package let mistakes: [String]

    package init(text: String, digest: String, mistakes: [String] = []) {
        self.text = text
        self.digest = digest
        self.mistakes = mistakes
    }
}

enum CodingErrorText {
    static func sentence(for error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "“\(key.stringValue)” is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)): \(context.debugDescription)"
        case EncodingError.invalidValue(_, let context): "\(place(context.codingPath)): \(context.debugDescription)"
        default: error.explanation
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "The whole" : path.map(\.stringValue).joined(separator: ".")
    }
}

