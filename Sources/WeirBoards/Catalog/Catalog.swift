import WeirAccess
public import WeirOperations
public import WeirStates
public import WeirStores

/// The operations that can be run and the stores that can be acted on, in the order in which pages show them.
///
/// A value: build it, then give it to a board, which holds it unchanged.
public struct Catalog: Sendable {
    /// The entries, in order.
    package private(set) var entries: [CatalogEntry] = []
    /// The index of each entry by its id: a page of all operations looks up each of them several times.
    private var indexes: [String: Int] = [:]
    /// The stores, in order.
    package private(set) var stores: [StoreEntry] = []
    /// Names everything that files declare of it, in letters and digits; nil where none does.
    ///
    /// Pages that a catalog of another edition made are made anew.
    package var edition: String?
    /// The secret that the server keeps under a name, at this moment; nil where there is none.
    package var keptSecret: @Sendable (String) -> String? = { _ in nil }

    /// Makes an empty catalog.
    public init() {}

    /// The entry of that id.
    package subscript(id: String) -> CatalogEntry? { indexes[id].map { entries[$0] } }

    /// Adds an operation under an id made of `a-z`, `0-9` and single hyphens, at most 40 characters.
    ///
    /// A later operation of the same id takes the earlier one's place.
    /// - Parameters:
    ///   - operation: What is run.
    ///   - id: Its id.
    ///   - title: What a person calls it, in English; the string `operation.<id>.title` overrides it in a locale.
    ///   - summary: What it does, in a sentence; `operation.<id>.summary` overrides it.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, by which roles can be given.
    ///   - reentry: What a second start does while a run is going.
    ///   - lifetime: When runs begin and end.
    ///   - timeout: After how long a run fails; nil for never.
    ///   - ticks: Which of the states that follow each other in one case are recorded; by default one in 100 ms.
    ///   - schedule: When the server starts it by itself; nil for never. Each run's actor is `schedule`.
    ///   - scheduledInput: The input of the runs that the schedule starts.
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

    /// Adds an operation of steps, or one that is a step of another and cannot be started without it.
    ///
    /// - Parameters:
    ///   - operation: What is run.
    ///   - id: Its id, as with `add`.
    ///   - title: What a person calls it, in English.
    ///   - summary: What it does, in a sentence.
    ///   - tags: Words by which roles can be given; a step has those of the whole.
    ///   - reentry: What a second start does while a run is active.
    ///   - timeout: After how long a run fails; nil for never.
    ///   - schedule: When the server starts it by itself; nil for never.
    ///   - partOf: The operation that it is a step of.
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
    /// Ids of stores and of operations have nothing to do with each other. A later store of the same id takes the
    /// earlier one's place.
    /// - Parameters:
    ///   - reducer: What actions do.
    ///   - id: Its id, which its recorded changes belong to.
    ///   - kind: Under which name its templates and strings lie; its id, unless several stores share them.
    ///   - title: What a person calls it, in English; the string `store.<id>.title` overrides it in a locale.
    ///   - summary: What it is for, in a sentence; `store.<id>.summary` overrides it.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, by which roles can be given.
    public mutating func add<R: Reducer>(
        store reducer: R, id: String, kind: String? = nil, title: String, summary: String, tags: Set<String> = []
    ) where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
        add(StoreEntry(reducer, id: id, kind: kind, title: title, summary: summary, tags: tags))
    }

    /// Notes the text that declares an operation.
    package mutating func declare(_ id: String, by declaration: OperationDeclaration) {
        guard let index = indexes[id] else { return }
        entries[index].declaration = declaration
    }

    /// What is wrong with tags, in sentences.
    static func problems(with tags: Set<String>, of id: String) -> [String] {
        tags.filter { !SubjectSelection.isTag($0) }.sorted().map {
            "\(id): the tag “\($0)” must be 1 to 64 lower-case letters, digits and hyphens, or no role can name it"
        }
    }

    /// The store of that id.
    package func store(_ id: String) -> StoreEntry? { stores.first { $0.id == id } }

    /// Adds a store of another catalog; one of the same id takes the earlier one's place.
    package mutating func add(_ entry: StoreEntry) {
        if let index = stores.firstIndex(where: { $0.id == entry.id }) {
            stores[index] = entry
        } else {
            stores.append(entry)
        }
    }

    /// Adds an entry of another catalog; one of the same id takes the earlier one's place.
    package mutating func add(_ entry: CatalogEntry) {
        if let index = indexes[entry.id] {
            entries[index] = entry
        } else {
            indexes[entry.id] = entries.count
            entries.append(entry)
        }
    }
}

/// Which ticks of an operation's runs are recorded: the states that follow another one of the same case.
///
/// Transitions, which change the case, are always recorded, and so is the last tick before a transition.
public enum TickRecording: Sendable, Hashable {
    /// One tick in `Board.Configuration.tickInterval` of each run, the newest.
    case sampled
    /// Every tick, in order.
    ///
    /// For work that reports seldom and where every report counts: each tick is a change in the journal and on the page.
    /// While `Board.Configuration.recordBufferLimit` changes wait for a journal that does not write, ticks are sampled.
    case every
}
