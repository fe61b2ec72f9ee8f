/// A graph for narrow pages: a row for each node, and the edges on vertical rails to the left of the rows.
///
/// Steps with the same needs share a rail. A step that needs only the step above it is connected directly.
struct GraphRails: Sendable {
    private struct Rail {
        let parents: [Int]
        let children: [Int]
        let isDashed: Bool
        var column = 0
    }

    /// The width of the rails, which is the place of all rows.
    let width: Int
    let height: Int
    /// The upper edge of the row of each node.
    let tops: [Int]
    private(set) var lines = ""
    /// The edges to nodes that follow all others.
    private(set) var dashed = ""
    private let rails: [Rail]
    private let rows: [Int]
    private let spacing: Int
    private let size: GraphShape.NodeSize

    init(_ shape: GraphShape, order: [Int]) {
        let step = shape.size.height + (shape.size.isDense ? 8 : 14)
        var rows = shape.parents.map { _ in 0 }
        for (row, node) in order.enumerated() { rows[node] = row }
        self.rows = rows
        size = shape.size
        let rails = Self.rails(shape, rows)
        let count = (rails.map(\.column).max() ?? -1) + 1
        spacing = max(3, min(11, 110 / max(count, 1)))
        width = count == 0 ? 1 : count * spacing + 12
        height = order.isEmpty ? 0 : order.count * step - (step - shape.size.height)
        tops = rows.map { $0 * step }
        self.rails = rails
        lines = rails.filter { !$0.isDashed }.map(path).joined() + straight(shape)
        dashed = rails.filter(\.isDashed).map(path).joined()
    }

    /// The rails: short ones next to the rows, and each in the first column that is free between its ends.
    private static func rails(_ shape: GraphShape, _ rows: [Int]) -> [Rail] {
        var children: [[Int]: [Int]] = [:]
        for (node, parents) in shape.parents.enumerated() where !isStraight(node, shape, rows) && !parents.isEmpty {
            children[parents + [shape.isFinally[node] ? 1 : 0], default: []].append(node)
        }
        let rails = children.map { key, nodes in
            Rail(parents: Array(key.dropLast()), children: nodes, isDashed: key.last == 1)
        }
        let extent = { (rail: Rail) in
            (rail.parents.map { rows[$0] }.min() ?? 0, rail.children.map { rows[$0] }.max() ?? 0)
        }
        let sorted = rails.sorted { first, second in
            let (a, b) = (extent(first), extent(second))
            return (a.1 - a.0, a.0, first.children.first ?? 0) < (b.1 - b.0, b.0, second.children.first ?? 0)
        }
        var taken: [[(Int, Int)]] = []
        return sorted.map { rail in
            var rail = rail
            let (start, end) = extent(rail)
            rail.column = taken.firstIndex { $0.allSatisfy { end <= $0.0 || $0.1 <= start } } ?? taken.count
            if rail.column == taken.count { taken.append([]) }
            taken[rail.column].append((start, end))
            return rail
        }
    }

    /// Whether a node needs only the node in the row above it.
    private static func isStraight(_ node: Int, _ shape: GraphShape, _ rows: [Int]) -> Bool {
        guard shape.parents[node].count == 1, let parent = shape.parents[node].first else { return false }
        return rows[parent] + 1 == rows[node]
    }

    /// The path of a chain of edges through these nodes; pairs without an edge are left out.
    func path(through nodes: [Int], of shape: GraphShape) -> String {
        zip(nodes, nodes.dropFirst()).map { parent, node in
            guard shape.parents.indices.contains(node), shape.parents[node].contains(parent) else { return "" }
            if Self.isStraight(node, shape, rows) { return straight(to: node) }
            guard let rail = rails.first(where: { $0.children.contains(node) && $0.parents.contains(parent) }) else {
                return ""
            }
            let part = Rail(parents: [parent], children: [node], isDashed: rail.isDashed, column: rail.column)
            return path(part)
        }.joined()
    }

    private func straight(_ shape: GraphShape) -> String {
        shape.parents.indices.filter { Self.isStraight($0, shape, rows) }.map(straight).joined()
    }

    private func straight(to node: Int) -> String {
        let gap = size.isDense ? 8 : 14
        return "M\(width + 16) \(tops[node] - gap)v\(gap - 1)m-4-5l4 5l4-5"
    }

    private func path(_ rail: Rail) -> String {
        let x = width - 12 - rail.column * spacing
        let radius = min(6, max(spacing - 1, 2))
        let middle = { (node: Int) in tops[node] + size.height / 2 }
        let starts = rail.parents.map { middle($0) + 6 }.sorted()
        let ends = rail.children.map { middle($0) - 6 }.sorted()
        guard let first = starts.first, let last = ends.last else { return "" }
        let joins = starts.map { "M\(width) \($0)H\(x + radius)Q\(x) \($0) \(x) \($0 + radius)" }.joined()
        let parts = ends.map { "M\(x) \($0 - radius)Q\(x) \($0) \(x + radius) \($0)H\(width - 1)m-5-4l5 4l-5 4" }
            .joined()
        return joins + "M\(x) \(first + radius)V\(last - radius)" + parts
    }
}
