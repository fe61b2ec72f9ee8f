import WeirFlows

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// A subscriber without its type, as the subscriptions hold it.
///
/// Combine's subscribers are not declared Sendable. Sending them is safe because a subscription calls its subscriber on
/// one thread at a time.
final class Downstream<Input, Failure: Error>: @unchecked Sendable {
    let begin: (any Subscription) -> Void
    let give: (Input) -> Subscribers.Demand
    let end: (Subscribers.Completion<Failure>) -> Void

    init<Subscribing: Subscriber>(_ subscriber: Subscribing)
    where Subscribing.Input == Input, Subscribing.Failure == Failure {
        begin = { subscriber.receive(subscription: $0) }
        give = { subscriber.receive($0) }
        end = { subscriber.receive(completion: $0) }
    }
}
