extension StateValues {
    /// One subscriber that asks for each value.
    ///
    /// A copy is the same subscriber; it leaves when the last copy goes.
    public struct Iterator: AsyncIteratorProtocol {
        /// What it gives.
        public typealias Element = Value
        /// It does not fail.
        public typealias Failure = Never

        @usableFromInline let seat: PulledSeat<Value>

        @inlinable
        init(_ seat: PulledSeat<Value>) {
            self.seat = seat
        }

        /// Why there are no more values; nil as long as there may be.
        public var end: FlowEnd? { seat.end }

        /// Waits for the next value.
        ///
        /// - Returns: the value, or nil for ever once the flow is sealed, the task is cancelled or the buffer overflowed.
        @inlinable
        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        /// Waits for the next value on the caller's actor.
        ///
        /// - Parameter actor: the caller's actor, which is not left when there is a value already.
        /// - Returns: the value, or nil for ever once the flow is sealed, the task is cancelled or the buffer overflowed.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            let seat = seat
            if !Task.isCancelled, let value = seat.nextIfAny() { return value }
            return await withTaskCancellationHandler {
                await seat.next(isolation: actor)
            } onCancel: {
                seat.cancel()
            }
        }
    }
}
