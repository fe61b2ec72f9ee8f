import Flows
import Journals
import Operations

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

    /// Stops the run because the server ends: a run of steps is left as it stands, for the next process to continue it.
    func shutDown() {
        if request.host != nil { recording.withLock { $0 }?.cancel() }
        cancel(.shutdown)
    }

    /// Keeps what brings the run's states to the recorder.
    func keep(_ subscription: FlowSubscription) {
        recording.withLock { $0 = subscription }
    }
}
