import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// A run that goes on, or whose end is not recorded yet, without its types.
final class LiveRun: Sendable {
    let request: StartRequest
    let operation: String
    /// Asks the run to stop.
    let cancel: @Sendable (CancellationCause) -> Void
    /// Waits until the run has ended and its work has returned.
    let outcome: @Sendable () async -> RunOutcome
    /// What the run prints; nil when its operation prints nothing.
    let output: RunOutput?
    /// The sequence of the run's first change, once it is recorded.
    let opened = Deferred<SequenceNumber>()
    /// The sequence of the run's last change, once it is recorded.
    let ended = Deferred<SequenceNumber>()
    /// Of a run that another server carries out: its last state, once it is recorded; nil if this server leaves it to others.
    let lastState = Deferred<StateRecord?>()
    /// Whether another server was told to carry it out.
    let isHandedOn = Locked(false)
    private let recording = Locked<FlowSubscription?>(nil)

    init(
        _ request: StartRequest, operation: String, output: RunOutput?,
        cancel: @escaping @Sendable (CancellationCause) -> Void,
        outcome: @escaping @Sendable () async -> RunOutcome
    ) {
        self.request = request
        self.operation = operation
        self.output = output
        self.cancel = cancel
        self.outcome = outcome
    }

    var id: String { request.run }

    /// The number of the process that carries it out, if that is another server's.
    var worker: Int64? {
        guard case .elsewhere(let worker) = request.place else { return nil }
        return worker
    }

    /// Whether it is carried out here.
    var isHere: Bool { worker == nil }

    /// Leaves a run of steps as it stands, for the next process to continue it: nothing more of it is recorded.
    func leave() {
        if request.host != nil { recording.withLock { $0 }?.cancel() }
    }

    /// Stops the run because the server ends; one that another server carries out goes on there.
    func shutDown() {
        if isHandedOn.withLock({ $0 }) { return lastState.resolve(nil) }
        leave()
        cancel(.shutdown)
    }

    /// Keeps what brings the run's states to the recorder.
    func keep(_ subscription: FlowSubscription) {
        recording.withLock { $0 = subscription }
    }
}
