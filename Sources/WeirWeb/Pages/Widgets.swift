import Hummingbird
import WeirBoards
import WeirPages

/// An operation or a run as a small page that another site shows in a frame.
///
/// It goes on by itself: its document names the address that answers after the next change, which `widget.js` asks, and a
/// browser without JavaScript.
struct Widgets {
    let dashboard: AudienceDashboard

    /// The widget as it stands.
    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        let (content, sequence) = try await dashboard.content(of: name)
        // Whoever looks keeps what runs only while watched going for its grace time at least.
        dashboard.board.watch(name.topic.topic).release()
        let path = "widgets/\(name.path)/after/\(dashboard.board.epoch).\(sequence)"
        let after = content.isEnded ? nil : dashboard.mount.url(path)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.widget(content, after: after, frame: frame)
        }
    }

    /// The widget after the next change, or after 13 seconds.
    func showNext(_ name: PageName, after cursor: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let cursor = FeedCursor(cursor) else { throw .malformedPath }
        if cursor.epoch == dashboard.board.epoch, exchange.request.method == .get {
            _ = await dashboard.pollResponder.wait(
                for: name.topic.topic, after: cursor.sequence, atMost: PollSlots.length)
        }
        return try await show(name, exchange)
    }
}
