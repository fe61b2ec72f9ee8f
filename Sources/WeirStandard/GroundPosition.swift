import Foundation
import WeirStates

/// A position on the ground, with map coordinates and text.
package struct GroundPosition: Codable, Hashable, Sendable {
    /// Degrees north, from -90 to 90.
    let latitude: Double
    /// Degrees east, from -180 to 180.
    let longitude: Double
    /// The x coordinate on an equirectangular map of width 2000, rounded to a tenth.
    let x: Double
    /// The y coordinate on that map of height 1000, rounded to a tenth.
    let y: Double
    /// `ISS Position = (12.345600, -65.432100)`, as in *Flow as a Combine publisher*.
    let text: String

    /// Creates a position; nil if a coordinate is out of range or not a number.
    init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        x = ((longitude + 180) / 360 * 20_000).rounded() / 10
        y = ((90 - latitude) / 180 * 10_000).rounded() / 10
        text = String(format: "ISS Position = (%f, %f)", latitude, longitude)
    }
}

extension GroundPosition {
    /// Decodes a position from a feed's response.
    ///
    /// open-notify sends `{"iss_position": {"latitude": "1.5", "longitude": "2.5"}}` with strings, and some replacements send
    /// numbers; wheretheiss.at sends `{"latitude": 1.5, "longitude": 2.5}`. Throws ``HTTPFailure/notUnderstood(reason:)``.
    init(answer: Data) throws(HTTPFailure) {
        let value: JSONValue
        do { value = try JSONValue(parsing: answer) } catch {
            throw .notUnderstood(reason: "it is not JSON. Check the address of the feed.")
        }
        let place = value["iss_position"] ?? value
        guard let latitude = place["latitude"]?.degrees, let longitude = place["longitude"]?.degrees else {
            throw .notUnderstood(reason: "it has no latitude and longitude. Check the address of the feed.")
        }
        guard let position = GroundPosition(latitude: latitude, longitude: longitude) else {
            throw .notUnderstood(reason: "its latitude and longitude are nowhere on Earth. Wait, or use another feed.")
        }
        self = position
    }
}

extension JSONValue {
    fileprivate var degrees: Double? { number ?? string.flatMap { Double($0) } }
}

/// The recent positions as polylines on the map.
///
/// A line ends where the track crosses the map's edge, and the next one starts at the opposite edge. Both reach the edge at the
/// latitude of the crossing, so no line spans the map.
struct GroundTrack: Sendable {
    private var positions: [GroundPosition] = []
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func append(_ position: GroundPosition) {
        guard position != positions.last else { return }
        positions.append(position)
        if positions.count > limit { positions.removeFirst(positions.count - limit) }
    }

    /// The polylines, oldest first, each as `x,y x,y …`.
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
