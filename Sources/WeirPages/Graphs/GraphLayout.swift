/// The places of a graph's nodes, and the paths of its edges as SVG path data.
///
/// A wide page shows the layers of the graph as columns from left to right; a narrow one shows a row for each node, with the
/// edges on rails beside them. The layout is deterministic and depends only on the shape.
struct GraphLayout: Sendable {
    struct Place: Sendable, Hashable {
        let x: Int
        let y: Int
    }

    let size: GraphShape.NodeSize
    let width: Int
    let height: Int
    /// The upper left corners of the nodes.
    let places: [Place]
    /// The nodes by column, from top to bottom.
    let order: [Int]
    let crossings: Int
    let lines: String
    /// The edges to nodes that follow all others.
    let dashed: String
    let rails: GraphRails
    private let columns: GraphColumns
    private let points: [Place]

    init(_ shape: GraphShape) {
        let columns = GraphColumns(shape)
        let size = shape.size
        let centres = Self.centres(columns, size)
        let half = size.height / 2
        let top = shape.levels.indices.map { centres[$0] - half }.min() ?? 0
        let highest = min(top, (centres.min() ?? 0) - 2)
        points = columns.vertices.enumerated().map { index, vertex in
            Place(x: vertex.level * (size.width + size.bend) + 1, y: centres[index] - highest + 1)
        }
        places = shape.levels.indices.map { [points] in Place(x: points[$0].x, y: points[$0].y - half) }
        width = max(columns.columns.count * (size.width + size.bend) - size.bend + 2, 0)
        let lowest = max(places.map(\.y).max().map { $0 + size.height } ?? 0, (points.map(\.y).max() ?? 0) + 2)
        height = lowest + 1
        order = columns.columns.flatMap { column in column.compactMap { columns.vertices[$0].node } }
        crossings = columns.crossings
        self.size = size
        self.columns = columns
        let isDashed = { (vertex: Int) in Self.isDashed(vertex, columns, shape) }
        let links = columns.columns.flatMap { $0 }.flatMap { from in
            columns.after[from].map { (from: from, to: $0) }
        }
        lines = Self.paths(links.filter { !isDashed($0.to) }, columns, points, size)
        dashed = Self.paths(links.filter { isDashed($0.to) }, columns, points, size)
        rails = GraphRails(shape, order: order)
    }

    /// The path of a chain of edges through these nodes; pairs without an edge are left out.
    func path(through nodes: [Int], of shape: GraphShape) -> String {
        let edges = zip(nodes, nodes.dropFirst()).filter {
            shape.parents.indices.contains($1) && shape.parents[$1].contains($0)
        }
        let links = edges.flatMap { edge in
            let route = columns.route(from: edge.0, to: edge.1)
            return zip(route, route.dropFirst()).map { (from: $0, to: $1) }
        }
        return Self.paths(links, columns, points, size)
    }

    /// Whether a vertex is a node that follows all others, or a bend on the way to one.
    private static func isDashed(_ vertex: Int, _ columns: GraphColumns, _ shape: GraphShape) -> Bool {
        var vertex = vertex
        while columns.vertices[vertex].node == nil, let next = columns.after[vertex].first { vertex = next }
        return columns.vertices[vertex].node.map { shape.isFinally[$0] } ?? false
    }

    // MARK: Paths

    private static func paths(
        _ links: [(from: Int, to: Int)], _ columns: GraphColumns, _ points: [Place], _ size: GraphShape.NodeSize
    ) -> String {
        var heads: Set<Int> = []
        return links.map { from, to in
            let (start, end) = (points[from], points[to])
            let (left, right) = (start.x + size.width, end.x)
            // A bend has no box: its line goes on through the column.
            let begin = columns.vertices[from].node == nil ? start.x : left
            var path = "M\(begin) \(start.y)"
            if begin < left, start.y != end.y { path += "H\(left)" }
            let middle = (left + right) / 2
            path += start.y == end.y ? "H\(right)" : "C\(middle) \(start.y) \(middle) \(end.y) \(right) \(end.y)"
            guard columns.vertices[to].node != nil, heads.insert(to).inserted else { return path }
            return path + "m-6-4l6 4l-6 4"
        }.joined()
    }

    // MARK: Places

    /// The vertical centres of all vertices: close to those of their neighbours, at a minimum distance from each other.
    private static func centres(_ columns: GraphColumns, _ size: GraphShape.NodeSize) -> [Int] {
        let heights = columns.vertices.map { Double($0.node == nil ? 0 : size.height) }
        var centres = heights.map { _ in 0.0 }
        let settle = { (column: [Int], wanted: (Int) -> Double) in
            let targets = column.map { ($0, wanted($0), columns.vertices[$0].node == nil ? 2.0 : 1.0) }
            for (vertex, place) in zip(column, apart(targets, heights, Double(size.gap))) { centres[vertex] = place }
        }
        let mean = { (vertex: Int, others: [Int]) -> Double in
            guard !others.isEmpty else { return centres[vertex] }
            return others.reduce(0) { $0 + centres[$1] } / Double(others.count)
        }
        for column in columns.columns { settle(column) { _ in 0 } }
        for _ in 0..<6 {
            for column in columns.columns { settle(column) { mean($0, columns.before[$0]) } }
            for column in columns.columns.reversed() { settle(column) { mean($0, columns.after[$0]) } }
        }
        // Ends outwards from the tallest column, so that a chain is a straight line and a step is between those that it leads to.
        let extent = { (level: Int) in columns.columns[level].reduce(0) { $0 + heights[$1] + Double(size.gap) } }
        let tallest = columns.columns.indices.max { extent($0) < extent($1) } ?? 0
        for column in columns.columns.dropFirst(tallest + 1) { settle(column) { mean($0, columns.before[$0]) } }
        for column in columns.columns.prefix(tallest).reversed() { settle(column) { mean($0, columns.after[$0]) } }
        return compact(centres, heights, Double(size.gap)).map { Int(clamping: Int64(exactly: $0.rounded()) ?? 0) }
    }

    /// The places without the empty stripes across the whole picture, such as those around steps without edges.
    private static func compact(_ centres: [Double], _ heights: [Double], _ gap: Double) -> [Double] {
        var (compact, end, removed) = (centres, Double?.none, 0.0)
        for vertex in centres.indices.sorted(by: { centres[$0] - heights[$0] / 2 < centres[$1] - heights[$1] / 2 }) {
            let top = centres[vertex] - heights[vertex] / 2
            removed += max(top - (end ?? top) - gap, 0)
            compact[vertex] -= removed
            end = max(end ?? top, top + heights[vertex])
        }
        return compact
    }

    /// The places nearest to the wanted ones, by least squares, that keep the order and the distances.
    private static func apart(
        _ targets: [(vertex: Int, wanted: Double, weight: Double)], _ heights: [Double], _ gap: Double
    ) -> [Double] {
        var offsets: [Double] = []
        // Runs of vertices at the minimum distance: the sum of what they want, the sum of their weights, and their number.
        var runs: [(sum: Double, weight: Double, count: Int)] = []
        var previous: Int?
        for (vertex, wanted, weight) in targets {
            let distance = previous.map { (heights[$0] + heights[vertex]) / 2 + gap } ?? 0
            offsets.append((offsets.last ?? 0) + distance.rounded(.up))
            previous = vertex
            var run = (sum: (wanted - (offsets.last ?? 0)) * weight, weight: weight, count: 1)
            while let last = runs.last, last.sum / last.weight > run.sum / run.weight {
                runs.removeLast()
                run = (last.sum + run.sum, last.weight + run.weight, last.count + run.count)
            }
            runs.append(run)
        }
        let bases = runs.flatMap { run in (0..<run.count).map { _ in run.sum / run.weight } }
        return zip(bases, offsets).map { $0 + $1 }
    }
}
