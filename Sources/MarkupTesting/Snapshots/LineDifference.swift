/// The difference of two texts by lines, in the format of `diff -u`.
struct LineDifference: CustomStringConvertible {
    private enum Kind: Character {
        case kept = " "
        case removed = "-"
        case added = "+"
    }

    private let lines: [(kind: Kind, text: String)]

    /// How many lines can differ before all are reported as replaced, since the search takes quadratic time.
    private static let limit = 2000
    private static let context = 3

    init(from old: String, to new: String) {
        let old = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let new = new.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        lines =
            old.prefix(start).map { (.kept, $0) }
            + Self.middle(Array(old[start..<old.count - end]), Array(new[start..<new.count - end]))
            + old.suffix(end).map { (.kept, $0) }
    }

    private static func middle(_ old: [String], _ new: [String]) -> [(kind: Kind, text: String)] {
        guard old.count + new.count <= limit else { return old.map { (.removed, $0) } + new.map { (.added, $0) } }
        let changes = new.difference(from: old)
        let removed = Set(changes.removals.map(\.offset))
        let added = Set(changes.insertions.map(\.offset))
        var lines: [(kind: Kind, text: String)] = []
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if removed.contains(oldIndex) {
                lines.append((.removed, old[oldIndex]))
                oldIndex += 1
            } else if added.contains(newIndex) {
                lines.append((.added, new[newIndex]))
                newIndex += 1
            } else {
                lines.append((.kept, new[newIndex]))
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
        }
        return lines
    }

    /// The hunks, each with three lines of context and the lines' numbers in both texts.
    var description: String {
        hunks.map { range in
            let before = lines[..<range.lowerBound]
            let hunk = lines[range]
            let old = (start: before.count { $0.kind != .added } + 1, count: hunk.count { $0.kind != .added })
            let new = (start: before.count { $0.kind != .removed } + 1, count: hunk.count { $0.kind != .removed })
            return "@@ -\(old.start),\(old.count) +\(new.start),\(new.count) @@\n"
                + hunk.map { "\($0.kind.rawValue)\($0.text)" }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private var hunks: [Range<Int>] {
        lines.indices.filter { lines[$0].kind != .kept }.reduce(into: []) { hunks, index in
            let around = max(0, index - Self.context)..<min(lines.count, index + Self.context + 1)
            if let last = hunks.last, last.upperBound >= around.lowerBound {
                hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
            } else {
                hunks.append(around)
            }
        }
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
