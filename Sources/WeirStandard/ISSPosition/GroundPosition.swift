import Foundation

/// A place on the ground: in degrees, on the map, and as text.
package struct GroundPosition: Codable, Hashable, Sendable {
    /// Degrees north, from -90 to 90.
    package let latitude: Double
    /// Degrees east, from -180 to 180.
    package let longitude: Double
    /// The place from the left on an equirectangular map 2000 wide, to a tenth.
    package let x: Double
    /// The place from the top on that map, 1000 high, to a tenth.
    package let y: Double
    /// `ISS Position = (12.345600, -65.432100)`, as in *Flow as a Combine publisher*.
    package let text: String

    /// Creates a position; nil if a coordinate is out of its range or no number.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        x = ((longitude + 180) / 360 * 20_000).rounded() / 10
        y = ((90 - latitude) / 180 * 10_000).rounded() / 10
        text = String(format: "ISS Position = (%f, %f)", latitude, longitude)
    }
}
