/// The operations of steps within each other, by the ids of the operations that each uses.
///
/// The time is linear in the number of uses for each operation in a circle, however many paths there are.
package struct StepNesting: Sendable {
    /// The maximum number of operations within each other.
    package static let limit = 8

    private let uses: [String: Set<String>]
    /// The number of uses on the longest path from each operation with steps, at most the limit.
    private var heights: [String: Int] = [:]
    /// The shortest circle through each operation that contains itself, beginning and ending with it.
    private var circles: [String: [String]] = [:]

    package init(_ uses: [String: Set<String>]) {
        self.uses = uses
        for _ in 0..<Self.limit {
            let before = heights
            heights = uses.compactMapValues { used in used.map { before[$0] ?? 0 }.max().map { $0 + 1 } }
        }
        // Without an end, the path from an operation in a circle has every length.
        for (id, height) in heights where height == Self.limit { circles[id] = circle(through: id) }
    }

    /// Why an operation cannot have a step that uses another one, or nil.
    package func mistake(of used: String, in whole: String) -> String? {
        if let circle = circles[whole], circle.dropFirst().first == used {
            return "The operation would contain itself: \(circle.joined(separator: " → ")). Remove this step."
        }
        guard circles.isEmpty, heights[used] ?? 0 >= Self.limit - 1 else { return nil }
        return "More than \(Self.limit) operations of steps lie within each other here."
    }

    private func circle(through whole: String) -> [String]? {
        var before: [String: String] = [:]
        var waiting = [whole][...]
        while let id = waiting.popFirst() {
            for next in (uses[id] ?? []).sorted() where before[next] == nil {
                before[next] = id
                guard next == whole else {
                    waiting.append(next)
                    continue
                }
                var way = [whole]
                var last = id
                while last != whole, let previous = before[last] {
                    way.append(last)
                    last = previous
                }
                return [whole] + way.reversed()
            }
        }
        return nil
    }
}
