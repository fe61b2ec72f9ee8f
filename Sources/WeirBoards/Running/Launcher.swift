import Logging
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Starts runs: holds inputs against their fields, and refuses what the board cannot take on.
final class Launcher: Sendable {
    private struct Core {
        var catalog: Catalog
        var starters: [String: any RunStarter] = [:]
    }

    let runs: LiveRuns
    private let configuration: Board.Configuration
    private let recorder: Recorder
    private let estimates: Estimates
    /// Makes the id of a run.
    let makeID: @Sendable () -> String
    private let makeStarter: @Sendable (CatalogEntry, (any RunStarter)?) -> any RunStarter
    private let core: Locked<Core>

    init(
        catalog: Catalog, configuration: Board.Configuration, _ surroundings: RunSurroundings, runs: LiveRuns,
        estimates: Estimates, clock: any Clock<Duration>, makeID: @escaping @Sendable () -> String
    ) {
        self.configuration = configuration
        recorder = surroundings.recorder
        self.runs = runs
        self.estimates = estimates
        self.makeID = makeID
        makeStarter = { entry, earlier in
            entry.factory.starter(id: entry.id, after: earlier, surroundings, clock: clock)
        }
        core = Locked(Core(catalog: Catalog()))
        take(catalog)
    }

    /// What can be started.
    var catalog: Catalog { core.withLock { $0.catalog } }

    /// Starts the operations of another catalog from now on.
    ///
    /// A run that was started before goes on as it began.
    func take(_ catalog: Catalog) {
        core.withLock { core in
            core.starters = Dictionary(
                catalog.entries.map { ($0.id, makeStarter($0, core.starters[$0.id])) }
            ) { $1 }
            core.catalog = catalog
        }
        runs.resize(operations: catalog.entries.count)
    }

    /// The input as a run gets it.
    ///
    /// - Parameters:
    ///   - input: What was given.
    ///   - operation: The operation's id.
    ///   - isStep: Whether it is started as a step of another run.
    ///   - isWithoutSecrets: Whether the server that carries it out has held the secrets against their fields.
    /// - Returns: The input with its defaults, and the fields that it was held against.
    /// - Throws: `unknownOperation`, `partOfAnother`, `notReported`, `invalidInput`, and `overloaded` when too many inputs
    ///   wait to be checked.
    func validate(
        _ input: JSONValue, for operation: String, isStep: Bool = false, isWithoutSecrets: Bool = false
    ) async throws(BoardError) -> (input: JSONValue, fields: [InputField]) {
        let entry = try startable(operation, isStep: isStep)
        let fields = isWithoutSecrets ? entry.fields.filter { !$0.isSecret } : entry.fields
        do {
            return (try await InputField.validate(input, fields: fields, in: .inputs), fields)
        } catch {
            throw .refusal(by: error)
        }
    }

    /// The input of a start without one: the defaults, which no pattern is held against.
    func defaults(of operation: String) throws(BoardError) -> JSONValue {
        let entry = try startable(operation)
        do {
            return try InputField.validate([:], fields: entry.fields)
        } catch {
            throw .invalidInput(error)
        }
    }

    private func startable(_ operation: String, isStep: Bool = false) throws(BoardError) -> CatalogEntry {
        guard let entry = catalog[operation] else { throw .unknownOperation(operation) }
        if let whole = entry.partOf, !isStep {
            throw BoardError(
                .partOfAnother, .partOfAnother, ["whole": .text(catalog[whole]?.title ?? whole)])
        }
        if entry.isReported {
            throw BoardError(.notReported, .reportedOnly, ["operation": BoardError.short(operation)])
        }
        return entry
    }

    /// Starts a run with an input that fits, or joins one.
    ///
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - opening: What it is started with, and by whom.
    ///   - secrets: What of its input must not be recorded.
    ///   - content: The bytes of its file.
    ///   - isWatched: Whether it goes because somebody watches: such a run takes no place from others.
    ///   - foreign: The process of another server that is to carry it out, if it can be another's.
    ///   - state: The state that it begins in; nil for the initial one.
    ///   - takesPlace: False for a step of another run, which has a place.
    ///   - host: The board, as a run of steps sees it.
    ///   - onEnd: Called when a new run has reached its end state, recorded or not.
    /// - Returns: The run, and whether it is new.
    /// - Throws: `unknownOperation`, `shuttingDown`, `overloaded`, `limitReached`, `unavailable`, `invalidInput` and `busy`.
    func launch(
        _ operation: String, _ opening: RunOpening, secrets: [String: JSONValue] = [:],
        content: (any FileContent)? = nil, isWatched: Bool = false, foreign: ForeignStart? = nil,
        from state: StateRecord? = nil, takesPlace: Bool = true, host: ((String, RunOpening) -> StepsHost)? = nil,
        onEnd: @escaping @Sendable (String, Phase) -> Void = { _, _ in }
    ) throws(BoardError) -> (run: LiveRun?, id: String, isNew: Bool) {
        guard let starter = core.withLock({ $0.starters[operation] }) else { throw .unknownOperation(operation) }
        let kept = try withKept(secrets, of: operation)
        try admit()
        let opening = opening.expecting(estimates.estimate(for: operation))
        let id = foreign?.run ?? makeID()
        var request = StartRequest(
            run: id, opening: opening, content: content, secrets: kept, host: host?(id, opening),
            beginning: state.map { .init(state: $0) })
        // What cannot be handed on stays here, and so does what goes on because of a run or of viewers of this server.
        if let foreign, content == nil, secrets.isEmpty, host == nil, state == nil, !isWatched, takesPlace {
            request.place = .elsewhere(worker: foreign.worker)
            if foreign.run != nil { request.secrets = standIns(for: kept, of: operation) }
        } else if foreign?.run != nil {
            throw .partsStay(nil)
        }
        if !isWatched, takesPlace {
            try runs.takePlace(for: request.run, .init(operation: operation, actor: opening.actor))
        }
        let begun: String
        do {
            begun = try starter.start(request, willBegin: { runs.add($0) }, onEnd: onEnd)
        } catch {
            runs.giveBack(request.run)
            throw error
        }
        if begun != id { runs.giveBack(id) }
        let run = runs[begun]
        if runs.isClosed { run?.shutDown() }
        return (run, begun, begun == id)
    }

    /// Takes up a run that another process began, or opened: the last one here, or another server's.
    ///
    /// Throws `unknownOperation`, `invalidInput` and `busy`.
    func resume(
        _ record: RunRecord, host: StepsHost? = nil, elapsed: Duration = .zero, place: RunPlace = .here,
        parts: RunParts = RunParts()
    ) throws(BoardError) {
        guard let starter = core.withLock({ $0.starters[record.operation] }) else {
            throw .unknownOperation(record.operation)
        }
        // One that was removed since is missed by the step that needs it.
        var secrets = (try? withKept(parts.secrets, of: record.operation)) ?? parts.secrets
        if case .elsewhere = place { secrets = standIns(for: secrets, of: record.operation) }
        // It had its place before; limits that are narrower now bind those that come.
        try? runs.takePlace(for: record.id, .init(operation: record.operation, actor: record.opening.actor))
        let request = StartRequest(
            run: record.id, opening: record.opening, content: parts.content, secrets: secrets, host: host,
            beginning: .init(state: record.state, revision: record.revision, elapsed: elapsed), place: place)
        do {
            _ = try starter.start(
                request,
                willBegin: { live in
                    live.opened.resolve(record.openedSequence)
                    live.output?.open()
                    runs.add(live)
                }, onEnd: { _, _ in })
        } catch {
            runs.giveBack(record.id)
            throw error
        }
    }

    /// The secrets of a run, with those that the server keeps where nobody gave one.
    private func withKept(
        _ given: [String: JSONValue], of operation: String
    ) throws(BoardError) -> [String: JSONValue] {
        let catalog = catalog
        var secrets = given
        for field in catalog[operation]?.fields ?? [] where secrets[field.name] == nil {
            guard let name = field.kept else { continue }
            guard let secret = catalog.keptSecret(name) else {
                let message = Message(InputWording.secretNotKept, ["name": .text(name)])
                throw .invalidInput(InputMistakes([InputMistake(field: field.name, message: message)]))
            }
            secrets[field.name] = .string(secret)
        }
        return secrets
    }

    /// The secrets of a run that another server has: none of them counts, as the run's work is done there.
    private func standIns(for kept: [String: JSONValue], of operation: String) -> [String: JSONValue] {
        let names = (catalog[operation]?.fields ?? []).filter { $0.isSecret && kept[$0.name] == nil }.map(\.name)
        return kept.merging(names.map { ($0, .string(makeID())) }) { $1 }
    }

    private func admit() throws(BoardError) {
        if runs.isClosed {
            throw .shuttingDown
        }
        if recorder.backlog >= configuration.recordBufferLimit {
            throw .tooMuchWaits
        }
    }
}
