import Operations

/// Makes runs of one operation.
struct OperationFactory<Work: StateOperation>: RunFactory {
    let operation: Work
    let reentry: ReentryPolicy
    let timeout: Duration?

    init(_ operation: Work, reentry: ReentryPolicy, timeout: Duration?) {
        self.operation = operation
        self.reentry = reentry
        self.timeout = timeout
    }
}
