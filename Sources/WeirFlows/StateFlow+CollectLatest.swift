extension StateFlow {
    /// Runs a body for the current value and each that follows, cancelling the one still running for an older value.
    ///
    /// A body begins when the one before has ended; bodies never overlap. Cancelling the task cancels the body too.
    ///
    /// - Parameter body: what to do with a value; it should look for cancellation.
    /// - Returns: why there are no more values, after the last body has ended.
    /// - Throws: what a body throws, unless it was cancelled for a newer value.
    @discardableResult
    public func collectLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) -> FlowEnd {
        let scope = FlowScope()
        let subscriber = values(.conflated).makeSubscriber()
        let job = await withTaskCancellationHandler {
            var job: FlowJob?
            while let value = await subscriber.next(isolation: nil) {
                job?.cancel()
                await job?.ended()
                if job?.outcome.value?.error != nil { break }
                job = scope.launch {
                    do {
                        try await body(value)
                    } catch {
                        if !Task.isCancelled { subscriber.cancel() }  // no further value is waited for
                        throw error
                    }
                }
            }
            await job?.ended()
            return job
        } onCancel: {
            subscriber.cancel()
            scope.cancel()
        }
        if let failure = job?.outcome.value?.error as? Failure { throw failure }
        return subscriber.end ?? .cancelled
    }
}
