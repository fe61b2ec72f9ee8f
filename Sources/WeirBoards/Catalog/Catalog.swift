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
