import Journals
import Operations
import States

/// Starts runs: holds inputs against their fields, and refuses what the board cannot take on.
final class Launcher: Sendable {
    let runs: LiveRuns
    private let catalog: Catalog
    private let configuration: Board.Configuration
    private let recorder: Recorder
    private let estimates: Estimates
    private let makeID: @Sendable () -> String
    private let starters: [String: any RunStarter]

    init(
        catalog: Catalog, configuration: Board.Configuration, recorder: Recorder, outputs: OutputDesk,
        runs: LiveRuns, estimates: Estimates, clock: any Clock<Duration>, makeID: @escaping @Sendable () -> String
    ) {
        self.catalog = catalog
        self.configuration = configuration
        self.recorder = recorder
        self.runs = runs
        self.estimates = estimates
        self.makeID = makeID
        starters = Dictionary(
            catalog.entries.map {
                ($0.id, $0.factory.starter(id: $0.id, recorder: recorder, outputs: outputs, clock: clock))
            }
        ) { $1 }
    }

    /// The input as a run gets it.
    func validate(_ input: JSONValue, for operation: String) throws(BoardError) -> JSONValue {
        guard let entry = catalog[operation] else { throw .unknownOperation(operation) }
        do {
            return try InputField.validate(input, fields: entry.fields)
        } catch {
            throw .invalidInput(error)
        }
    }

    /// Starts a run with an input that fits, or joins one.
    ///
    /// - Returns: The run, and whether it is new.
    func launch(
        _ operation: String, _ opening: RunOpening, content: (any FileContent)? = nil,
        onEnd: @escaping @Sendable (String, Phase) -> Void = { _, _ in }
    ) throws(BoardError) -> (run: LiveRun?, id: String, isNew: Bool) {
        guard let starter = starters[operation] else { throw .unknownOperation(operation) }
        try admit()
        let opening = opening.expecting(estimates.estimate(for: operation))
        let request = StartRequest(run: makeID(), opening: opening, content: content)
        let id = try starter.start(request, willBegin: { runs.add($0) }, onEnd: onEnd)
        let run = runs[id]
        if runs.isClosed { run?.cancel(.shutdown) }
        return (run, id, id == request.run)
    }

    private func admit() throws(BoardError) {
        if runs.isClosed {
            throw BoardError(.shuttingDown, "The server is shutting down. Start this again when it is back.")
        }
        if runs.count >= configuration.maximumActiveRuns {
            throw BoardError(
                .overloaded,
                "All of the \(configuration.maximumActiveRuns) runs that may go are going. Try again in a while.")
        }
        if recorder.backlog >= configuration.recordBufferLimit {
            throw .tooMuchWaits
        }
    }
}
