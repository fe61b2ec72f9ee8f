import Foundation
import WeirStates

/// What open-notify's `astros.json` says: `{"people": [{"name": …, "craft": …}], "number": …}`.
///
/// The number is counted again: the service's own has been seen to disagree with its list.
struct CrewList: Decodable {
    struct Person: Decodable {
        let name: String
        let craft: String
    }

    let people: [Person]

    /// Reads the answer of the service.
    ///
    /// Throws ``HTTPFailure/notUnderstood(reason:)``.
    init(_ answer: Data) throws(HTTPFailure) {
        do {
            try self.init(json: answer)
        } catch {
            throw .notUnderstood(
                reason: "it is not the expected list of people. Check the address of the feed.")
        }
    }

    /// The people by craft, the fullest first, and by name where two are equally full.
    var crafts: [Craft] {
        Dictionary(grouping: people.prefix(500)) { $0.craft.inert(limit: 80) }
            .map { Craft(name: $0.key, people: $0.value.map { $0.name.inert(limit: 120) }) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }
}
