/// Finds the known name that somebody most likely meant with a mistyped one.
package enum NearestName {
    /// The known name that a name resembles most; nil if it resembles none.
    ///
    /// - Parameters:
    ///   - name: The name as it was written.
    ///   - known: The names there are.
    ///   - prefix: How many characters at the beginning all names share, which say nothing.
    /// - Returns: One of the known names.
    package static func of(
        _ name: String, among known: some Sequence<String>, ignoring prefix: Int = 0
    ) -> String? {
        // A long name resembles none, and comparing it would take time.
        guard name.utf8.count <= 100 else { return nil }
        let length = name.count
        let limit = max(1, (length - prefix) / 3)
        // Words whose lengths differ by more have more between them.
        let near = known.filter { abs($0.count - length) <= limit }.map { (name: $0, distance: distance(name, $0)) }
        return near.min { $0.distance < $1.distance }.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// The number of letters to add, drop, change or swap with the next to get from one word to the other (the optimal
    /// string alignment of Damerau 1964 and Levenshtein 1965).
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                // Never traps: a row has one more place than the right word has letters, and `next` has one for each so
                // far.
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
