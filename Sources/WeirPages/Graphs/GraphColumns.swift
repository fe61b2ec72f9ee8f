/// The columns of a graph, ordered so that few edges cross.
///
/// An edge over several columns passes through a bend in each column between them. The long edges from one node share their
/// bends.
struct GraphColumns {
    struct Vertex {
        let level: Int
        /// The node, or nil for a bend of a long edge.
        let node: Int?
    }

    private struct Chain: Hashable {
        let source: Int
        let isDashed: Bool
    }

    private(set) var vertices: [Vertex] = []
    /// For each vertex, the vertices of the column before that lead to it.
    private(set) var before: [[Int]] = []
    /// For each vertex, the vertices of the next column to which it leads.
    private(set) var after: [[Int]] = []
    /// The vertices of each column, from top to bottom.
    private(set) var columns: [[Int]]
    /// The index of each vertex in its column.
    private(set) var ranks: [Int] = []
    /// The bends of the long edges of a node, by column.
    private var chains: [Chain: [Int]] = [:]
    private let shape: GraphShape

    init(_ shape: GraphShape) {
        self.shape = shape
        columns = Array(repeating: [], count: max((shape.levels.max() ?? -1) + 1, 0))
        for (node, level) in shape.levels.enumerated() { add(Vertex(level: level, node: node)) }
        for (node, parents) in shape.parents.enumerated() {
            for parent in parents { connect(path(from: parent, to: node)) }
        }
        order()
    }

    /// The vertices that an edge passes through, with its ends; adds missing bends.
    private mutating func path(from parent: Int, to node: Int) -> [Int] {
        let chain = Chain(source: parent, isDashed: shape.isFinally[node])
        var bends = chains[chain] ?? []
        for level in (shape.levels[parent] + 1)..<max(shape.levels[node], shape.levels[parent] + 1) {
            guard level - shape.levels[parent] > bends.count else { continue }
            bends.append(vertices.count)
            add(Vertex(level: level, node: nil))
        }
        chains[chain] = bends
        return [parent] + bends.prefix { vertices[$0].level < shape.levels[node] } + [node]
    }

    /// The vertices that an edge passes through, with its ends.
    func route(from parent: Int, to node: Int) -> [Int] {
        let bends = chains[Chain(source: parent, isDashed: shape.isFinally[node])] ?? []
        return [parent] + bends.prefix { vertices[$0].level < shape.levels[node] } + [node]
    }

    private mutating func add(_ vertex: Vertex) {
        ranks.append(columns[vertex.level].count)
        columns[vertex.level].append(vertices.count)
        vertices.append(vertex)
        before.append([])
        after.append([])
    }

    private mutating func connect(_ path: [Int]) {
        for (from, to) in zip(path, path.dropFirst()) where !after[from].contains(to) {
            after[from].append(to)
            before[to].append(from)
        }
    }

    // MARK: Order

    /// Orders the columns by the barycentres of the neighbours, forth and back, and keeps the order with the fewest crossings.
    private mutating func order() {
        var best = (crossings: crossings, columns: columns)
        for round in 0..<8 where best.crossings > 0 {
            let isForward = round.isMultiple(of: 2)
            for level in isForward ? Array(columns.indices) : columns.indices.reversed() {
                sort(level, by: isForward ? before : after)
            }
            for level in columns.indices { swapNeighbours(level) }
            let count = crossings
            if count < best.crossings { best = (count, columns) }
        }
        columns = best.columns
        for column in columns { for (rank, vertex) in column.enumerated() { ranks[vertex] = rank } }
    }

    private mutating func sort(_ level: Int, by neighbours: [[Int]]) {
        let keys = columns[level].map { vertex -> Double in
            let others = neighbours[vertex]
            guard !others.isEmpty else { return Double(ranks[vertex]) }
            return others.reduce(0) { $0 + Double(ranks[$1]) } / Double(others.count)
        }
        let sorted = zip(keys, columns[level]).sorted { ($0.0, ranks[$0.1]) < ($1.0, ranks[$1.1]) }.map(\.1)
        columns[level] = sorted
        for (rank, vertex) in sorted.enumerated() { ranks[vertex] = rank }
    }

    /// Swaps neighbours in a column while that removes crossings.
    private mutating func swapNeighbours(_ level: Int) {
        let column = columns[level]
        var sides = column.map { vertex in
            (before: before[vertex].map { ranks[$0] }.sorted(), after: after[vertex].map { ranks[$0] }.sorted())
        }
        var order = column
        for _ in 0..<4 {
            var hasChanged = false
            for (index, next) in zip(order.indices, order.indices.dropFirst()) {
                let (upper, lower) = (sides[index], sides[next])
                let now =
                    Self.inversions(upper.before, lower.before) + Self.inversions(upper.after, lower.after)
                guard now > 0 else { continue }
                let swapped =
                    Self.inversions(lower.before, upper.before) + Self.inversions(lower.after, upper.after)
                guard swapped < now else { continue }
                sides.swapAt(index, next)
                order.swapAt(index, next)
                hasChanged = true
            }
            guard hasChanged else { break }
        }
        columns[level] = order
        for (rank, vertex) in order.enumerated() { ranks[vertex] = rank }
    }

    /// The number of pairs of which the first is greater; both lists are in order.
    private static func inversions(_ upper: [Int], _ lower: [Int]) -> Int {
        var (count, smaller) = (0, 0)
        for rank in upper {
            while smaller < lower.count, lower[smaller] < rank { smaller += 1 }
            count += smaller
        }
        return count
    }

    /// The number of pairs of edges that cross.
    var crossings: Int { columns.indices.reduce(0) { $0 + crossings(after: $1) } }

    /// The crossings between a column and the next, as the inversions of the edges' ends, counted in a binary indexed tree.
    private func crossings(after level: Int) -> Int {
        let ends = columns[level].flatMap { vertex in after[vertex].map { ranks[$0] }.sorted() }
        guard let last = ends.max() else { return 0 }
        var tree = Array(repeating: 0, count: max(last + 2, 0))
        var found = 0
        for (seen, end) in ends.enumerated() {
            // The earlier ends at or above this one do not cross it.
            var (place, above) = (end + 1, 0)
            while place > 0 {
                above += tree[place]
                place -= place & -place
            }
            found += seen - above
            place = end + 1
            while place < tree.count {
                tree[place] += 1
                place += place & -place
            }
        }
        return found
    }
}
