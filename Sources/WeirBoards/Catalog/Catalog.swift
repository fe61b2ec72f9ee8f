import WeirAccess
public import WeirOperations
public import WeirStates
public import WeirStores

/// The operations and stores of a board, in the order in which pages show them.
public struct Catalog: Sendable {
    package private(set) var entries: [CatalogEntry] = []
    /// The index of each entry by id, because a page of all operations looks each of them up several times.
    private var indexes: [String: Int] = [:]
    package private(set) var stores: [StoreEntry] = []
    /// A digest, in letters and digits, of the files that declare the catalog, or nil if none does.
    ///
    /// Pages cached for another edition are rendered again.
    package var edition: String?
    /// A digest of the operation files and their templates, without the values of choices; empty if there are none.
    package var fingerprint = ""
    /// Returns the current value of a secret that the server keeps under a name, or nil.
    package var keptSecret: @Sendable (String) -> String? = { _ in nil }

    /// Creates an empty catalog.
    public init() {}

    package subscript(id: String) -> CatalogEntry? { indexes[id].map { entries[$0] } }

    /// Adds an operation under an id made of `a-z`, `0-9` and single hyphens, at most 40 characters.
    ///
    /// Replaces an earlier operation of the same id.
    /// - Parameters:
    ///   - operation: The operation.
    ///   - id: The operation's id.
    ///   - title: The English title; the string `operation.<id>.title` overrides it in a locale.
    ///   - summary: A sentence that describes the operation; `operation.<id>.summary` overrides it.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, that roles can refer to.
    ///   - reentry: The effect of a second start while a run is active.
    ///   - lifetime: When runs begin and end.
    ///   - timeout: The time after which a run fails, or nil for no limit.
    ///   - ticks: Which ticks of its runs are recorded; by default one in 100 ms.
    ///   - schedule: When the server starts it automatically, or nil for never. The actor of such runs is `schedule`.
    ///   - scheduledInput: The input of the scheduled runs.
    public mutating func add<Work: StateOperation>(
        _ operation: Work, id: String, title: String, summary: String, tags: Set<String> = [],
        reentry: ReentryPolicy = .concurrent, lifetime: Lifetime = .onDemand, timeout: Duration? = nil,
        ticks: TickRecording = .sampled, schedule: Schedule? = nil, scheduledInput: JSONValue = [:]
    ) {
        add(
            CatalogEntry(
                operation, id: id, title: title, summary: summary, tags: tags, reentry: reentry,
                lifetime: lifetime, timeout: timeout, ticks: ticks,
                schedule: schedule.map { ScheduledStart($0, input: scheduledInput) }))
    }

    /// Adds an operation of steps, or an operation that can only be started as a step of another.
    ///
    /// `partOf` is the operation that it is a step of. A step has the tags of the whole.
    package mutating func add<Work: StateOperation>(
        _ operation: Work, id: String, title: String, summary: String, tags: Set<String>, reentry: ReentryPolicy,
        timeout: Duration?, schedule: ScheduledStart?, partOf: String?
    ) {
        add(
            CatalogEntry(
                operation, id: id, title: title, summary: summary, tags: tags, reentry: reentry, lifetime: .onDemand,
                timeout: timeout, ticks: .sampled, schedule: schedule, partOf: partOf))
    }

    /// Adds a store under an id made of `a-z`, `0-9` and single hyphens, at most 40 characters.
    ///
    /// Ids of stores and operations are independent. Replaces an earlier store of the same id.
    /// - Parameters:
    ///   - reducer: Applies the actions.
    ///   - id: The store's id, under which its changes are recorded.
    ///   - kind: The name of its templates and strings, which several stores can share; by default its id.
    ///   - title: The English title; the string `store.<id>.title` overrides it in a locale.
    ///   - summary: A sentence that describes the store; `store.<id>.summary` overrides it.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, that roles can refer to.
    public mutating func add<R: Reducer>(
        store reducer: R, id: String, kind: String? = nil, title: String, summary: String, tags: Set<String> = []
    ) where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
        add(StoreEntry(reducer, id: id, kind: kind, title: title, summary: summary, tags: tags))
    }

    package mutating func declare(_ id: String, by declaration: OperationDeclaration) {
        guard let index = indexes[id] else { return }
        entries[index].declaration = declaration
    }

    package mutating func offer(_ presets: [InputPreset], for id: String) {
        guard let index = indexes[id] else { return }
        entries[index].presets = presets
    }

    static func problems(with tags: Set<String>, of id: String) -> [String] {
        tags.filter { !SubjectSelection.isTag($0) }.sorted().map {
            "\(id): the tag “\($0)” must be 1 to 64 lower-case letters, digits and hyphens, or no role can name it"
        }
    }

    package func store(_ id: String) -> StoreEntry? { stores.first { $0.id == id } }

    /// Adds a store, replacing one of the same id.
    package mutating func add(_ entry: StoreEntry) {
        if let index = stores.firstIndex(where: { $0.id == entry.id }) {
            stores[index] = entry
        } else {
            stores.append(entry)
        }
    }

    /// Adds an operation, replacing one of the same id.
    package mutating func add(_ entry: CatalogEntry) {
        if let index = indexes[entry.id] {
            entries[index] = entry
        } else {
            indexes[entry.id] = entries.count
            entries.append(entry)
        }
    }
}

/// Which ticks of an operation's runs are recorded: states of the same case as the one before.
///
/// Transitions, which change the case, are always recorded, as is the last tick before a transition.
public enum TickRecording: Sendable, Hashable {
    /// The newest tick of each run in every `Board.Configuration.tickInterval`.
    case sampled
    /// Every tick, in order.
    ///
    /// Use it for work that reports rarely and whose every report matters: each tick is a change in the journal and on
    /// the page. Ticks are sampled while `Board.Configuration.recordBufferLimit` changes are pending.
    case every
}

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
