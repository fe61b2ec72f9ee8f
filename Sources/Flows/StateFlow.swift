/// A value over time that always has a current one, and that many can watch.
///
/// Iterate it (`for await state in flow`), ask it for its ``value``, or hand it a callback. What every state flow
/// guarantees:
///
/// - A new subscriber gets the current value first, without waiting for a change.
/// - Values come in the order in which they were committed, which is the same for every subscriber.
/// - A value equal to the current one is no change: nobody hears of it.
/// - After the last write every subscriber gets the last value, however slow it is.
/// - Nobody who watches makes a writer wait.
/// - Who watches with ``DeliveryPolicy/lossless`` sees every state; with ``DeliveryPolicy/conflated``, which is what
///   plain iteration does, a slow one skips to the latest.
/// - Cancelling the task that iterates ends the loop at once, with no further value.
///
/// Not guaranteed: on which thread a callback runs, and in which order the subscribers hear of one value.
///
/// It is Kotlin's `StateFlow`, with the states in between, an end (``MutableStateFlow/finish()``), and cancelling tied
/// both ways.
public protocol StateFlow<Value>: AsyncSequence, Sendable
where Element == Value, Failure == Never, AsyncIterator == StateValues<Value>.Iterator {
    /// What it holds.
    associatedtype Value: Sendable

    /// The current value: what was written last, on whatever thread.
    var value: Value { get }

    /// The current value and all that follow, as one subscriber will be given them.
    ///
    /// - Parameter policy: what happens to values that come faster than they are taken.
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
