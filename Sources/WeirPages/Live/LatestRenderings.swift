import Synchronization
import WeirBoards

/// Caches the HTML of page elements as rendered after the latest change.
///
/// An entry is valid only for the identical view. Views are immutable, so a different object must be rendered again,
/// whether changes were skipped, several pages rendered, or a batch repeated.
final class LatestRenderings: Sendable {
    struct Key: Hashable {
        let page: LivePage
        let element: String
    }

    private struct State {
        var entries: [Key: (view: any AnyObject & Sendable, html: String)] = [:]
        var bytes = 0
    }

    /// The maximum size in bytes; at the limit all entries are discarded, since each is soon replaced.
    private static let byteLimit = 1_024 * 1_024

    private let state = Mutex(State())

    /// The HTML of an element that shows a view, or nil if it is not cached.
    func html(_ key: Key, showing view: any AnyObject & Sendable) -> String? {
        state.withLock { $0.entries[key].flatMap { $0.view === view ? $0.html : nil } }
    }

    func keep(_ html: String, _ key: Key, showing view: any AnyObject & Sendable) {
        state.withLock { state in
            if state.bytes + html.utf8.count > Self.byteLimit { state = State() }
            let former = state.entries.updateValue((view, html), forKey: key)
            state.bytes += html.utf8.count - (former?.html.utf8.count ?? 0)
        }
    }
}

/// The part of a list of runs in which two versions differ.
///
/// Runs that are the same object in both are excluded, so that equal rows are not rendered. The neighbours of new runs are
/// included, because they determine the position.
struct RunListChange {
    let before: [RunView]
    let after: [RunView]

    init(before: [RunView], after: [RunView]) {
        self.before = before
        self.after = after
    }

    init(from old: some Sequence<RunView>, to new: some Sequence<RunView>) {
        let (old, new) = (Array(old), Array(new))
        let common = Set(old.map(ObjectIdentifier.init)).intersection(new.map(ObjectIdentifier.init))
        let isSame = new.map { common.contains(ObjectIdentifier($0)) }
        let neighbours = zip([false] + isSame.map { !$0 }, isSame.dropFirst().map { !$0 } + [false])
        let kept = zip(new, neighbours).filter { $1.0 || $1.1 }.map { ObjectIdentifier($0.0) }
        let dropped = common.subtracting(kept)
        let isLeft = { (run: RunView) in !dropped.contains(ObjectIdentifier(run)) }
        before = old.filter(isLeft)
        after = new.filter(isLeft)
    }
}
