import WeirBoards
import WeirJournals

/// The steps that determined the duration of a run, in order.
///
/// The path ends with the step that ended last. Before each step comes the one it waited for: of the steps that it needs,
/// the one that ended last; or, if the step began later than that, the step whose end made room for it.
enum CriticalPath {
    /// The longest time between the end of a need and the begin of a step that did not wait for room, in milliseconds.
    private static let tolerance: Int64 = 500

    /// - Returns: The indices of the steps; empty if none ended.
    static func nodes(_ steps: [StepsProgress.Step], parents: [[Int]], from start: Timestamp) -> [Int] {
        // The steps that ran in this run.
        let ran = steps.map { $0.doneIn == nil && $0.began != nil ? $0.ended : nil }
        var path: [Int] = []
        var next = latest(Array(steps.indices), ran)
        while let node = next, !path.contains(node) {
            path.append(node)
            guard let began = steps[node].began else { break }
            let need = latest(needs(of: node, ran, parents), ran)
            let ready = need.flatMap { ran[$0] } ?? start
            let isReady = { (other: Int) in
                other != node && ran[other].map { $0 > ready && $0 <= began } ?? false
            }
            let isLate = began - ready > tolerance
            next = (isLate ? latest(steps.indices.filter(isReady), ran) : nil) ?? need
        }
        return path.reversed()
    }

    /// The steps that a step needs, with the needs of those that did not run in their place.
    private static func needs(of node: Int, _ ran: [Timestamp?], _ parents: [[Int]]) -> [Int] {
        guard parents.indices.contains(node) else { return [] }
        var (found, waiting, seen) = ([Int](), parents[node], Set<Int>())
        while let parent = waiting.popLast() {
            guard seen.insert(parent).inserted, parents.indices.contains(parent) else { continue }
            if ran[parent] != nil { found.append(parent) } else { waiting += parents[parent] }
        }
        return found
    }

    private static func latest(_ nodes: [Int], _ ran: [Timestamp?]) -> Int? {
        let ended = nodes.compactMap { node in ran[node].map { (end: $0, node: node) } }
        return ended.max { ($0.end, $0.node) < ($1.end, $1.node) }?.node
    }
}
