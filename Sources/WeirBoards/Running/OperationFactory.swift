import Logging
import WeirOperations

/// Makes what starts runs of one operation.
struct OperationFactory<Work: StateOperation>: RunFactory {
    let operation: Work
    let reentry: ReentryPolicy
    let timeout: Duration?
    let ticks: TickRecording

    init(_ operation: Work, reentry: ReentryPolicy, timeout: Duration?, ticks: TickRecording) {
        self.operation = operation
        self.reentry = reentry
        self.timeout = timeout
        self.ticks = ticks
    }

    func starter(
        id: String, after earlier: (any RunStarter)?, _ surroundings: RunSurroundings, clock: any Clock<Duration>
    ) -> any RunStarter {
        let runner: OperationRunner<Work>
        if let known = (earlier as? OperationStarter<Work>)?.runner {
            known.replace(operation, reentry: reentry, timeout: timeout)
            runner = known
        } else {
            runner = OperationRunner(operation, reentry: reentry, timeout: timeout, clock: clock)
        }
        return OperationStarter(id: id, runner: runner, ticks: ticks, surroundings: surroundings)
    }
}

/// Makes what starts runs of an operation whose type is not known here.
protocol RunFactory: Sendable {
    /// What starts the operation's runs on one board.
    ///
    /// `earlier` started those of the operation that this one replaces: if that is of the same type, its active runs count
    /// for the policy of this one.
    func starter(
        id: String, after earlier: (any RunStarter)?, _ surroundings: RunSurroundings, clock: any Clock<Duration>
    ) -> any RunStarter
}

/// Where what a run does is recorded, and who carries out those of which this server only keeps account.
struct RunSurroundings: Sendable {
    let recorder: Recorder
    let outputs: RunOutputs
    /// Tells other servers what they carry out; nil where there can be no others.
    let assigner: RunAssigner?
    let logger: Logger
}
