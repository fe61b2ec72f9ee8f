import Synchronization

/// What elements of pages were rendered as after the latest change: what they show until the next.
///
/// An entry is good for the very object that was rendered. Views never change, so whatever happened in between (changes
/// that a page was not rendered for, several pages, a batch rendered again), another object means: render it again.
final class LatestRenderings: Sendable {
    /// An element of a page.
    struct Key: Hashable {
        let page: LivePage
        let element: String
    }

    private struct State {
        var entries: [Key: (view: any AnyObject & Sendable, html: String)] = [:]
        var bytes = 0
    }

    /// The most bytes kept; with more, all are forgotten, as each is soon replaced.
    private static let byteLimit = 1_024 * 1_024

    private let state = Mutex(State())

    /// What the element was rendered as when it showed that object; nil if it is not known.
    func html(_ key: Key, showing view: any AnyObject & Sendable) -> String? {
        state.withLock { $0.entries[key].flatMap { $0.view === view ? $0.html : nil } }
    }

    /// Keeps what the element was rendered as.
    func keep(_ html: String, _ key: Key, showing view: any AnyObject & Sendable) {
        state.withLock { state in
            if state.bytes + html.utf8.count > Self.byteLimit { state = State() }
            let former = state.entries.updateValue((view, html), forKey: key)
            state.bytes += html.utf8.count - (former?.html.utf8.count ?? 0)
        }
    }
}
