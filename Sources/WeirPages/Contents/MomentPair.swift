package import WeirBoards

/// Two moments of one run or one store, and how it stands.
package enum MomentPair: Sendable {
    /// A run at two moments, and its newest view.
    case run(RunView, RunView, newest: RunView)
    /// A store at two moments, and its newest view.
    case store(StoreView, StoreView, newest: StoreView)
}
