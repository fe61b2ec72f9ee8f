import Foundation
import WeirStates

/// The last positions, as lines on the map.
///
/// A line ends where the track leaves the map at one edge, and the next begins at the other: both reach their edge at the
/// latitude of the crossing, so that nothing is drawn across the whole map.
struct GroundTrack: Sendable {
    private var positions: [GroundPosition] = []
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func append(_ position: GroundPosition) {
        guard position != positions.last else { return }
        positions.append(position)
        if positions.count > limit { positions.removeFirst(positions.count - limit) }
    }

    /// The lines, oldest first, each as `x,y x,y …`.
    var lines: [String] {
        var lines: [[String]] = []
        var previous: GroundPosition?
        for position in positions {
            if let previous, let last = lines.indices.last, abs(position.x - previous.x) <= 1_000 {
                lines[last].append(Self.point(position.x, position.y))
            } else {
                let crossing = previous.map { Self.crossing($0, position) }
                if let crossing, let last = lines.indices.last {
                    lines[last].append(Self.point(crossing.leaving, crossing.y))
                }
                lines.append(
                    (crossing.map { [Self.point(2_000 - $0.leaving, $0.y)] } ?? []) + [
                        Self.point(position.x, position.y)
                    ])
            }
            previous = position
        }
        return lines.map { $0.joined(separator: " ") }
    }

    private static func crossing(_ from: GroundPosition, _ to: GroundPosition) -> (leaving: Double, y: Double) {
        let eastward = from.x > to.x
        let toEdge = eastward ? 2_000 - from.x : from.x
        let whole = toEdge + (eastward ? to.x : 2_000 - to.x)
        return (eastward ? 2_000 : 0, from.y + (to.y - from.y) * (whole == 0 ? 0 : toEdge / whole))
    }

    private static func point(_ x: Double, _ y: Double) -> String { tenths(x) + "," + tenths(y) }

    private static func tenths(_ value: Double) -> String {
        let count = Int64(clamping: (value * 10).rounded())
        return count % 10 == 0 ? "\(count / 10)" : "\(count / 10).\(count % 10)"
    }
}
