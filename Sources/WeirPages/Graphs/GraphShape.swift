import WeirBoards

/// The shape of a graph of steps, from which its layout follows.
///
/// Edges that other edges imply are left out. Needs that are unknown or part of a circle are ignored.
struct GraphShape: Hashable, Sendable {
    /// The nodes that each node follows, in ascending order.
    let parents: [[Int]]
    /// The length of the longest path to each node.
    let levels: [Int]
    /// Whether each node follows all others; its edges are dashed.
    let isFinally: [Bool]
    let size: NodeSize

    /// The size of all nodes of a graph, in pixels.
    struct NodeSize: Hashable, Sendable {
        /// The step of widths, for which the style sheet has the classes `w1` to `w4`.
        let step: Int
        /// Whether a node has one line instead of two.
        let isDense: Bool

        var width: Int { 88 + 32 * step }
        var height: Int { isDense ? 30 : 50 }
        /// The space between nodes above each other.
        var gap: Int { isDense ? 10 : 16 }
        /// The space between columns, in which edges bend.
        var bend: Int { isDense ? 40 : 34 }

        /// The size for labels of at most so many characters.
        init(label: Int, nodes: Int) {
            isDense = nodes > 24
            // One line also holds a time such as 1 min 14 s; two lines a state, a percentage and a time.
            let needed = isDense ? min(max(label, 0), 100) * 8 + 112 : max(min(max(label, 0), 100) * 8 + 40, 184)
            step = (1...4).first { needed <= 88 + 32 * $0 } ?? 4
        }
    }

    /// Whether the steps are a graph that a page can show; larger ones, which only an import can contain, are listed.
    static func canDraw(_ progress: StepsProgress) -> Bool {
        progress.isGraph && progress.steps.count <= 500
            && progress.steps.reduce(0) { $0 + ($1.needs?.count ?? 0) } <= 10_000
    }

    /// Creates the shape of the steps of a graph, whose longest label has so many characters.
    init(_ steps: [StepsProgress.Step], label: Int) {
        let places = Dictionary(steps.enumerated().map { ($1.name, $0) }) { first, _ in first }
        let needs = steps.map { ($0.needs ?? []).compactMap { places[$0] } }
        self.init(needs: needs, isFinally: steps.map(\.isFinally), label: label)
    }

    init(needs: [[Int]], isFinally: [Bool] = [], label: Int = 10) {
        let flags = needs.indices.map { $0 < isFinally.count && isFinally[$0] }
        let known = needs.enumerated().map { node, needs in
            Set(needs).filter { $0 != node && flags.indices.contains($0) }
        }
        let needed = known.reduce(into: Set<Int>()) { $0.formUnion($1) }
        let ends = Set(needs.indices.filter { !flags[$0] && !needed.contains($0) })
        let whole = known.indices.map { flags[$0] && known[$0].isEmpty ? ends : known[$0] }
        (parents, levels) = Self.reduced(whole)
        self.isFinally = flags
        size = NodeSize(label: label, nodes: needs.count)
    }

    /// The parents without implied ones, and the levels.
    private static func reduced(_ needs: [Set<Int>]) -> ([[Int]], [Int]) {
        var (waiting, children) = (needs.map(\.count), needs.map { _ in [Int]() })
        for (node, parents) in needs.enumerated() { for parent in parents.sorted() { children[parent].append(node) } }
        var ready = needs.indices.filter { waiting[$0] == 0 }
        var ranks = needs.map { _ in Int.max }
        var levels = needs.map { _ in 0 }
        var parents = needs.map { _ in [Int]() }
        // For each node, the nodes from which a path leads to it.
        var before = needs.map { _ in [Bool]() }
        var placed = 0
        while placed < needs.count {
            // Only a circle leaves nodes that are not ready; its first node is placed without its needs in the circle.
            if placed == ready.count, let next = needs.indices.first(where: { waiting[$0] > 0 && ranks[$0] == .max }) {
                waiting[next] = 0
                ready.append(next)
            }
            guard placed < ready.count else { break }
            let node = ready[placed]
            ranks[node] = placed
            placed += 1
            var covered = needs.map { _ in false }
            for parent in needs[node].filter({ ranks[$0] < ranks[node] }).sorted(by: { ranks[$0] > ranks[$1] })
            where !covered[parent] {
                parents[node].append(parent)
                levels[node] = max(levels[node], levels[parent] + 1)
                for (index, isBefore) in before[parent].enumerated() where isBefore { covered[index] = true }
                covered[parent] = true
            }
            parents[node].sort()
            before[node] = covered
            for child in children[node] where waiting[child] > 0 {
                waiting[child] -= 1
                if waiting[child] == 0 { ready.append(child) }
            }
        }
        return (parents, levels)
    }
}
