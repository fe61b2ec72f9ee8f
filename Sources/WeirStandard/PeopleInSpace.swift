import Foundation
package import WeirFlows
package import WeirOperations
package import WeirStates

/// Requests the list of people in space.
package struct PeopleInSpace: StateOperation {
    package struct Configuration: Sendable {
        /// The URL of the feed, in the format of open-notify's `astros.json`.
        let url: String
        let timeout: Duration

        package init(url: String = "http://api.open-notify.org/astros.json", timeout: Duration = .seconds(10)) {
            self.url = url
            self.timeout = timeout
        }
    }

    private let configuration: Configuration
    private let environment: OperationEnvironment

    package init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    package func perform(_ input: NoInput, state: MutableStateFlow<PeopleInSpaceState>) async throws {
        state.value = .loading
        let crafts = try await HTTPExchange(environment: environment)
            .fetch(configuration.url, limit: 1_000_000, timeout: configuration.timeout) { try CrewList($0).crafts }
        state.value = .success(
            total: crafts.reduce(0) { $0 + $1.count }, crafts: crafts, at: environment.moment())
    }
}

package enum PeopleInSpaceState: OperationState {
    case none
    case loading
    /// The crafts, ordered by descending count.
    case success(total: Int, crafts: [Craft], at: String)
    case error(message: String)
    case cancelled

    package static var initial: Self { .none }
    package static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    package static func cancelled(from last: Self) -> Self { .cancelled }

    package var phase: Phase {
        switch self {
        case .none: .idle
        case .loading: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    package static var samples: [Self] {
        let crafts = [
            Craft(name: "ISS", people: ["Oleg Kononenko", "Nikolai Chub", "Tracy Caldwell Dyson"]),
            Craft(name: "Tiangong", people: ["Li Guangsu", "Li Cong"]),
        ]
        return [
            .none, .loading, .success(total: 5, crafts: crafts, at: "2026-11-20T12:01:55.000Z"),
            .success(total: 0, crafts: [], at: "2026-11-20T12:01:55.000Z"),
            failed(HTTPFailure.timedOut(during: .connecting, after: .seconds(10))), .cancelled,
        ]
    }
}

package struct Craft: Codable, Hashable, Sendable {
    let name: String
    let count: Int
    /// Their names, in the order of the service.
    let people: [String]

    init(name: String, people: [String]) {
        self.name = name
        self.people = people
        count = people.count
    }
}

/// The content of open-notify's `astros.json`: `{"people": [{"name": …, "craft": …}], "number": …}`.
///
/// The number is ignored, because the service's own can disagree with its list.
struct CrewList: Decodable {
    struct Person: Decodable {
        let name: String
        let craft: String
    }

    let people: [Person]

    /// Decodes the response; throws ``HTTPFailure/notUnderstood(reason:)``.
    init(_ answer: Data) throws(HTTPFailure) {
        do {
            try self.init(json: answer)
        } catch {
            throw .notUnderstood(
                reason: "it is not the expected list of people. Check the address of the feed.")
        }
    }

    /// The people by craft, ordered by descending count and then by name.
    var crafts: [Craft] {
        Dictionary(grouping: people.prefix(500)) { $0.craft.inert(limit: 80) }
            .map { Craft(name: $0.key, people: $0.value.map { $0.name.inert(limit: 120) }) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }
}
