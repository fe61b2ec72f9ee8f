import Operations

/// Makes what starts runs of one operation.
struct OperationFactory<Work: StateOperation>: RunFactory {
    let operation: Work
    let reentry: ReentryPolicy
    let timeout: Duration?

    init(_ operation: Work, reentry: ReentryPolicy, timeout: Duration?) {
        self.operation = operation
        self.reentry = reentry
        self.timeout = timeout
    }

    func starter(id: String, recorder: Recorder, outputs: OutputDesk, clock: any Clock<Duration>) -> any RunStarter {
        let runner = OperationRunner(operation, reentry: reentry, timeout: timeout, clock: clock)
        return OperationStarter(id: id, runner: runner, recorder: recorder, outputs: outputs)
    }
}
