import NIOCore
import WeirBoards
import WeirFlows
import WeirPages

/// Somebody who waits for a change: a live page's poll, a reader of a stream, or a task of the server.
enum ChangeWaiter: Sendable {
    case poll(HeldPoll)
    case stream(HeldStream)
    case task(OneShot<WaitOutcome>)
}

/// A poll that is held: what it asked, and how its answer is delivered.
final class HeldPoll: Sendable {
    let request: PollRequest
    let page: LivePage
    /// Who asked; looked at again before the answer goes out.
    let admission: Admission
    /// Keeps what runs only while watched going.
    let watch: Watch
    /// Shows others that its sender has the page open; nil where that is not shown.
    let visit: Visit?
    /// Where `deliver` is called.
    let eventLoop: any EventLoop
    let deliver: @Sendable (PollAnswer) -> Void

    init(
        request: PollRequest, page: LivePage, admission: Admission, watch: Watch, visit: Visit?,
        eventLoop: any EventLoop, deliver: @escaping @Sendable (PollAnswer) -> Void
    ) {
        self.request = request
        self.page = page
        self.admission = admission
        self.watch = watch
        self.visit = visit
        self.eventLoop = eventLoop
        self.deliver = deliver
    }
}
