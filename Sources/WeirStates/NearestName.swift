/// Finds the known name that a mistyped name most likely meant.
package enum NearestName {
    /// The most similar known name, or nil if none is similar.
    ///
    /// - Parameters:
    ///   - name: The name as written.
    ///   - known: The known names.
    ///   - prefix: The length of a prefix that all names share, which the similarity threshold ignores.
    /// - Returns: One of the known names.
    package static func of(
        _ name: String, among known: some Sequence<String>, ignoring prefix: Int = 0
    ) -> String? {
        // A longer name matches nothing, and comparing it would take time.
        guard name.utf8.count <= 100 else { return nil }
        let length = name.count
        let limit = max(1, (length - prefix) / 3)
        // Names whose lengths differ by more than the limit are further apart than the limit.
        let near = known.filter { abs($0.count - length) <= limit }.map { (name: $0, distance: distance(name, $0)) }
        return near.min { $0.distance < $1.distance }.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// The number of characters to insert, delete, replace or transpose to turn one word into the other: the optimal
    /// string alignment distance of Damerau 1964 and Levenshtein 1965.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                // Never traps: a row has one more element than the right word has letters, and `next` has one for each
                // so far.
                var least = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                // Never traps: neither is the first letter.
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    // Never traps: `before` is a row too, from the second letter on, and this is not the first.
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
