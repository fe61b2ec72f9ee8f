import HTTPTypes
import WeirPages

/// Determines the caller from the one trusted source.
///
/// With a configured header nothing else counts: neither the name cookie nor `X-Weir-Actor`. A request without that
/// header did not come through the proxy that sets it; it can read, as "unknown", and change nothing.
struct ActorCheck: Sendable {
    /// The name under which a request without the configured header reads.
    static let unknown = "unknown"

    private enum Source: Sendable {
        /// A proxy vouches for the name in this header.
        case proxy(HTTPField.Name)
        /// A program may name itself in this header; nobody vouches for it.
        case claim(HTTPField.Name)
        /// Programs have no names.
        case none
    }

    private let source: Source

    /// Throws `WebConfigurationError` for a header name that cannot be one.
    init(_ configuration: WebConfiguration) throws(WebConfigurationError) {
        if let header = configuration.actorHeader {
            guard let name = HTTPField.Name(header) else { throw .actorHeader(header) }
            source = .proxy(name)
        } else {
            source = configuration.acceptsClaimedActors ? .claim(.weirActor) : .none
        }
    }

    /// What is wrong with the name in a request's header; nil if it is sound or absent.
    func problem(with fields: HTTPFields) -> Problem? {
        guard let header else { return nil }
        let values = fields[values: header]
        guard values.count <= 1 else { return .malformedActor(header, "must be sent once, not \(values.count) times.") }
        guard let value = values.first, !value.isEmpty, ActorName(value) == nil else { return nil }
        return .malformedActor(
            header,
            "must be one line of at most \(ActorName.limit) visible characters, with single spaces and no control characters."
        )
    }

    /// The caller.
    ///
    /// - Parameters:
    ///   - fields: The request's header, already checked.
    ///   - cookie: The name that the browser keeps.
    ///   - isForPrograms: Whether the request came through the API.
    ///   - isSafe: Whether the request only reads.
    /// - Returns: The name, and whether the page may change it.
    /// - Throws: The problem of a request that would change something and does not name its caller.
    func viewer(
        of fields: HTTPFields, cookie: ActorName?, isForPrograms: Bool, isSafe: Bool
    ) throws(Problem) -> PageViewer {
        if let named = header.flatMap({ fields[values: $0].first }).flatMap({ ActorName($0) }) {
            return PageViewer(name: named.text, canRename: false)
        }
        if case .proxy(let header) = source {
            guard isSafe else { throw .missingActor(header) }
            return PageViewer(name: Self.unknown, canRename: false)
        }
        return PageViewer(name: isForPrograms ? "api" : cookie?.text ?? "operator", canRename: true)
    }

    private var header: HTTPField.Name? {
        switch source {
        case .proxy(let name), .claim(let name): name
        case .none: nil
        }
    }
}
