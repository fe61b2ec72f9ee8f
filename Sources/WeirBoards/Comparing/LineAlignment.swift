/// Finds the lines of two texts that belong together, with bounded effort.
struct LineAlignment {
    /// The maximum number of comparisons.
    private static let effort = 2_000_000
    /// The maximum number of lines without a counterpart in a part without dividing lines.
    private static let distance = 400

    private let first: [Int]
    private let second: [Int]
    private var rest = Self.effort
    /// The counterpart of each line of the first text.
    private(set) var partners: [Int?]

    private typealias Part = (left: Range<Int>, right: Range<Int>)

    /// Creates the alignment of lines that equal numbers represent.
    init(_ first: [Int], _ second: [Int]) {
        (self.first, self.second) = (first, second)
        partners = first.map { _ in nil }
    }

    mutating func align() {
        var parts: [Part] = [(first.indices, second.indices)]
        while let part = parts.popLast(), rest > 0 {
            let part = trimmed(part)
            guard !part.left.isEmpty, !part.right.isEmpty else { continue }
            rest -= part.left.count + part.right.count
            let anchors = anchors(of: part)
            guard !anchors.isEmpty else {
                compare(part)
                continue
            }
            var (left, right) = (part.left.lowerBound, part.right.lowerBound)
            for (one, other) in anchors {
                partners[one] = other
                parts.append((left..<one, right..<other))
                (left, right) = (one + 1, other + 1)
            }
            parts.append((left..<part.left.upperBound, right..<part.right.upperBound))
        }
    }

    /// The part without equal lines at its beginning and end, which it pairs.
    private mutating func trimmed(_ part: Part) -> Part {
        var (left, right) = part
        while let one = left.first, let other = right.first, first[one] == second[other] {
            partners[one] = other
            (left, right) = (left.dropFirst(), right.dropFirst())
        }
        while let one = left.last, let other = right.last, first[one] == second[other] {
            partners[one] = other
            (left, right) = (left.dropLast(), right.dropLast())
        }
        return (left, right)
    }

    /// The lines that occur once on each side, in the longest order that both sides share.
    private func anchors(of part: Part) -> [(Int, Int)] {
        var places: [Int: (left: Int, lefts: Int, right: Int, rights: Int)] = [:]
        for index in part.left { places[first[index], default: (index, 0, 0, 0)].lefts += 1 }
        for index in part.right where places[second[index]] != nil {
            places[second[index]]?.right = index
            places[second[index]]?.rights += 1
        }
        let unique = part.left.compactMap { index -> (Int, Int)? in
            guard let place = places[first[index]], place.lefts == 1, place.rights == 1 else { return nil }
            return (index, place.right)
        }
        return longestIncreasing(unique)
    }

    private func longestIncreasing(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        var tails: [Int] = []
        var previous: [Int?] = []
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[tails[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
            }
            // Never traps: low is positive, and at most the number of tails.
            previous.append(low > 0 ? tails[low - 1] : nil)
            if low < tails.count { tails[low] = index } else { tails.append(index) }
        }
        var found: [(Int, Int)] = []
        var next = tails.last
        while let index = next {
            found.append(pairs[index])
            next = previous[index]
        }
        return found.reversed()
    }

    /// Pairs the lines of a part by Myers' algorithm, unless too many lines have no counterpart.
    private mutating func compare(_ part: Part) {
        let (lefts, rights) = (part.left.count, part.right.count)
        let limit = min(lefts + rights, Self.distance)
        // The furthest line of the first text on each diagonal, from -limit - 1 to limit + 1.
        var furthest = Array(repeating: 0, count: 2 * limit + 3)
        var trace: [[Int]] = []
        for distance in 0...limit {
            trace.append(furthest)
            rest -= distance + 1
            guard rest > 0 else { return }
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let place = diagonal + limit + 1
                // Never traps: the diagonal is within the limit, so both neighbours exist.
                let isDown = diagonal == -distance || diagonal != distance && furthest[place - 1] < furthest[place + 1]
                // Never traps: the diagonal is within the limit, so both neighbours exist.
                var left = isDown ? furthest[place + 1] : furthest[place - 1] + 1
                var right = left - diagonal
                while left < lefts, right < rights, right >= 0,
                    // Never traps: both are within the part.
                    first[part.left.lowerBound + left] == second[part.right.lowerBound + right]
                {
                    (left, right) = (left + 1, right + 1)
                }
                furthest[place] = left
                guard left >= lefts, right >= rights else { continue }
                pair(part, trace, limit, distance)
                return
            }
        }
    }

    private mutating func pair(_ part: Part, _ trace: [[Int]], _ limit: Int, _ distance: Int) {
        var (left, right) = (part.left.count, part.right.count)
        for step in stride(from: distance, through: 0, by: -1) {
            let furthest = trace[step]
            let diagonal = left - right
            let place = diagonal + limit + 1
            // Never traps: these are the diagonals of the search, whose neighbours exist.
            let isDown = diagonal == -step || diagonal != step && furthest[place - 1] < furthest[place + 1]
            let before = isDown ? diagonal + 1 : diagonal - 1
            // Never traps: as above.
            let start = step == 0 ? 0 : furthest[before + limit + 1]
            let begin = step == 0 ? 0 : isDown ? start : start + 1
            while left > begin, right > 0, left > 0 {
                (left, right) = (left - 1, right - 1)
                // Never traps: both are within the part.
                partners[part.left.lowerBound + left] = part.right.lowerBound + right
            }
            if step > 0 { (left, right) = (start, start - before) }
        }
    }
}
