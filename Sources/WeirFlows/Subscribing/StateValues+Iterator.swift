extension StateValues {
    /// A subscriber that pulls each value.
    ///
    /// A copy is the same subscriber; it leaves when the last copy is released.
    public struct Iterator: AsyncIteratorProtocol {
        /// The type of the values.
        public typealias Element = Value
        /// It does not fail.
        public typealias Failure = Never

        @usableFromInline let subscriber: PullSubscriber<Value>

        @inlinable
        init(_ subscriber: PullSubscriber<Value>) {
            self.subscriber = subscriber
        }

        /// Why there are no more values; nil while there may be more.
        public var end: FlowEnd? { subscriber.end }

        /// Waits for the next value.
        ///
        /// - Returns: the value, or nil from then on once the flow is sealed, the task is cancelled or the buffer
        ///   overflowed.
        @inlinable
        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        /// Waits for the next value on the caller's actor.
        ///
        /// - Parameter actor: the caller's actor, which is not left if a value is already available.
        /// - Returns: the value, or nil from then on once the flow is sealed, the task is cancelled or the buffer
        ///   overflowed.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            let subscriber = subscriber
            if !Task.isCancelled, let value = subscriber.nextIfAny() { return value }
            return await withTaskCancellationHandler {
                await subscriber.next(isolation: actor)
            } onCancel: {
                subscriber.cancel()
            }
        }
    }
}
