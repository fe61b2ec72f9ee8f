import Foundation
import WeirStates

extension GroundPosition {
    /// Reads a position out of an answer in one of the three shapes that feeds of it have.
    ///
    /// open-notify writes `{"iss_position": {"latitude": "1.5", "longitude": "2.5"}}` with strings; some that stand in for
    /// it write numbers there; wheretheiss.at writes `{"latitude": 1.5, "longitude": 2.5}`.
    /// Throws ``HTTPFailure/notUnderstood(reason:)``.
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
