import Synchronization

/// The layouts of the graphs shown last, because a page is rendered again with each change of a run.
final class GraphLayouts: Sendable {
    /// The maximum number of layouts; at the limit all are discarded.
    private static let limit = 64

    private let layouts = Mutex<[GraphShape: GraphLayout]>([:])

    func layout(_ shape: GraphShape) -> GraphLayout {
        if let known = layouts.withLock({ $0[shape] }) { return known }
        let layout = GraphLayout(shape)
        layouts.withLock { layouts in
            if layouts.count >= Self.limit { layouts = [:] }
            layouts[shape] = layout
        }
        return layout
    }
}
