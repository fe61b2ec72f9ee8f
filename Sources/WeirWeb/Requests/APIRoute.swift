import HTTPTypes
import Hummingbird
import WeirAccess

/// A resource below `api/v1`: a row of ``APIResource/table``, and the values of the parameters in its path.
struct APIRoute: Hashable, Sendable {
    let resource: APIResource
    let values: [String]

    /// Creates the route of a path below `api/v1`; nil if `table` does not have it.
    init?(_ segments: ArraySlice<String>, in table: [APIResource] = APIResource.table) {
        for resource in table {
            guard let values = resource.values(in: segments) else { continue }
            (self.resource, self.values) = (resource, values)
            return
        }
        return nil
    }

    /// The first parameter of the path: the subject of the required right.
    var id: String { values.first ?? "" }

    /// The second parameter of the path.
    var part: String { values.dropFirst().first ?? "" }

    /// `HEAD` is allowed wherever `GET` is.
    var methods: [HTTPRequest.Method] {
        resource.methods.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }

    var requirement: Requirement {
        switch resource.right {
        case .nothing: .nothing
        case .anything(let verb): .anything(verb)
        case .everything(let verb): .everything(verb)
        case .operation(let verb): .operation(verb, id)
        case .store(let verb): .store(verb, id)
        case .run(let verb): .run(verb, id)
        case .reporting: .reporting(id)
        case .feed: .feed
        }
    }

    func auditAction(_ method: HTTPRequest.Method) -> AuditAction? {
        let declared = resource.methods.first { $0.method == (method == .head ? .get : method) }
        guard let action = declared?.audit else { return nil }
        // A head does not reveal what an export contains.
        if action == .export, method == .head { return nil }
        // Of the streams, only outputs are audited.
        if resource.right == .feed, !id.hasPrefix("output-") { return nil }
        return action
    }
}

/// A row of the API's table: everything about one path.
///
/// The router, the rights, the audit, the check of query parameters and the description are made from it.
struct APIResource: Hashable, Sendable {
    typealias Handler = @Sendable (AudienceDashboard, APIRoute, Exchange) async throws(Problem) -> Response

    /// The right that all methods of a resource require, on the first parameter of its path.
    enum Right: Hashable, Sendable {
        /// No right: the answer is about the caller alone.
        case nothing
        case anything(Verb)
        case everything(Verb)
        case operation(Verb)
        case store(Verb)
        case run(Verb)
        case reporting
        case feed
    }

    /// The path below `api/v1`, such as `runs/{run}/artifacts/{name}`.
    let path: String
    let right: Right
    let methods: [APIMethod]
    /// Whether the query can have parameters besides the declared ones, or its handler checks them.
    let checksQuery: Bool
    let answer: Handler
    private let segments: [Substring]
    /// Whether the last parameter contains the rest of the path.
    private let takesRest: Bool

    init(
        _ path: String, _ right: Right, _ methods: APIMethod..., checksQuery: Bool = false, takesRest: Bool = false,
        answer: @escaping Handler
    ) {
        self.init(path, right, methods, checksQuery: checksQuery, takesRest: takesRest, answer: answer)
    }

    init(
        _ path: String, _ right: Right, _ methods: [APIMethod], checksQuery: Bool = false, takesRest: Bool = false,
        answer: @escaping Handler
    ) {
        (self.path, self.right, self.methods, self.checksQuery) = (path, right, methods, checksQuery)
        (self.answer, self.takesRest, segments) = (answer, takesRest, path.split(separator: "/"))
    }

    static func == (one: APIResource, other: APIResource) -> Bool { one.path == other.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// The names of the query's parameters; nil if the handler checks them.
    var parameters: [String]? {
        checksQuery ? nil : methods.flatMap { $0.parameters.filter { $0.place == .query }.map(\.name) }
    }

    /// Returns the values of the path's parameters, or nil for another path.
    fileprivate func values(in sent: ArraySlice<String>) -> [String]? {
        guard sent.count == segments.count || takesRest && sent.count > segments.count else { return nil }
        var values: [String] = []
        for (segment, value) in zip(segments, sent) {
            if segment.hasPrefix("{") { values.append(value) } else if segment != value { return nil }
        }
        if sent.count > segments.count, let last = values.popLast() {
            values.append(([last] + sent.dropFirst(segments.count)).joined(separator: "/"))
        }
        return values
    }
}
