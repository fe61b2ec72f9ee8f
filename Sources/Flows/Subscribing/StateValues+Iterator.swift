extension StateValues {
    /// One subscriber that asks for each value.
    ///
    /// A copy is the same subscriber; it leaves when the last copy goes.
    public struct Iterator: AsyncIteratorProtocol {
        /// What it gives.
        public typealias Element = Value
        /// It does not fail.
        public typealias Failure = Never

        private final class Place {
            let seat: Seat<Value>

            init(_ seat: Seat<Value>) {
                self.seat = seat
            }

            deinit {
                seat.cancel()
            }
        }

        private let place: Place

        init(_ seat: Seat<Value>) {
            place = Place(seat)
        }

        /// Why there are no more values; nil as long as there may be.
        public var end: FlowEnd? { place.seat.end }

        /// Waits for the next value.
        ///
        /// - Returns: the value, or nil for ever once the flow is sealed, the task is cancelled or the buffer overflowed.
        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        /// Waits for the next value on the caller's actor.
        ///
        /// - Parameter actor: the caller's actor, which is not left when there is a value already.
        /// - Returns: the value, or nil for ever once the flow is sealed, the task is cancelled or the buffer overflowed.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            let seat = place.seat
            return await withTaskCancellationHandler {
                await seat.next(isolation: actor)
            } onCancel: {
                seat.cancel()
            }
        }
    }
}
