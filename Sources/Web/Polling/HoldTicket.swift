import Boards
import NIOCore
import Pages

/// Somebody who waits for a change: a live page's poll, or a task of the server.
enum HoldTicket: Sendable {
    case poll(PollTicket)
    case task(OneShot<HoldOutcome>)
}

/// A poll that is held: what it asked, and how its answer is delivered.
final class PollTicket: Sendable {
    let request: PollRequest
    let page: LivePage
    /// Keeps what runs only while watched going.
    let watch: Watch
    /// Where `deliver` is called.
    let eventLoop: any EventLoop
    let deliver: @Sendable (PollAnswer) -> Void

    init(
        request: PollRequest, page: LivePage, watch: Watch, eventLoop: any EventLoop,
        deliver: @escaping @Sendable (PollAnswer) -> Void
    ) {
        self.request = request
        self.page = page
        self.watch = watch
        self.eventLoop = eventLoop
        self.deliver = deliver
    }
}
