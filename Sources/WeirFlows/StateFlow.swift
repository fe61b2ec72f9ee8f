/// A value over time that always has a current value, and that any number of subscribers can observe.
///
/// Iterate it (`for await state in flow`), read its ``value``, or give it a callback. Every state flow guarantees:
///
/// - A new subscriber receives the current value first, without waiting for a change.
/// - Values arrive in the order in which they were committed, which is the same for every subscriber.
/// - A value equal to the current one is not a change: no subscriber receives it.
/// - After the last write every subscriber receives the last value, however slow it is.
/// - No subscriber makes a writer wait.
/// - A subscriber with ``DeliveryPolicy/lossless`` sees every state. With ``DeliveryPolicy/conflated``, which plain
///   iteration uses, a slow subscriber skips to the latest.
/// - Cancelling the task that iterates ends the loop at once, with no further value.
///
/// It does not guarantee on which thread a callback runs, or in which order the subscribers receive one value.
///
/// It is Kotlin's `StateFlow`, with the states in between, an end (``MutableStateFlow/finish()``), and cancellation in
/// both directions.
public protocol StateFlow<Value>: AsyncSequence, Sendable
where Element == Value, Failure == Never, AsyncIterator == StateValues<Value>.Iterator {
    /// The type of its values.
    associatedtype Value: Sendable

    /// The current value: the latest write of any thread.
    var value: Value { get }

    /// The current value and all that follow, as one subscriber receives them.
    ///
    /// - Parameter policy: what happens to values that arrive faster than they are taken.
    /// - Returns: the values; each iteration of them is a subscriber.
    func values(_ policy: DeliveryPolicy) -> StateValues<Value>
}

extension StateFlow {
    /// Iterates conflated: the current value first, then the latest each time.
    @inlinable
    public func makeAsyncIterator() -> StateValues<Value>.Iterator {
        values(.conflated).makeAsyncIterator()
    }
}
