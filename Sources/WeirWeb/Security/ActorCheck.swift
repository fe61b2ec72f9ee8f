import HTTPTypes
import WeirAccess
import WeirPages

/// Determines the caller from the one trusted source.
///
/// If a header is configured, neither the name cookie nor `X-Weir-Actor` counts. A request without that header bypassed the
/// proxy that sets it; it may read, as "unknown", but change nothing.
struct ActorCheck: Sendable {
    /// The name of a request without the configured header.
    static let unknown = "unknown"

    private enum Source: Sendable {
        /// A proxy authenticates the name in this header.
        case proxy(HTTPField.Name)
        /// A program may set this header, unverified.
        case claim(HTTPField.Name)
        case none
    }

    private let source: Source

    /// Throws `WebConfigurationError` if the configured header name is invalid.
    init(_ configuration: WebConfiguration) throws(WebConfigurationError) {
        if let header = configuration.actorHeader {
            guard let name = HTTPField.Name(header) else { throw .actorHeader(header) }
            source = .proxy(name)
        } else {
            source = configuration.acceptsClaimedActors ? .claim(.weirActor) : .none
        }
    }

    /// Returns the problem with the name in the header; nil if it is valid or absent.
    func problem(with fields: HTTPFields) -> Problem? {
        guard let header else { return nil }
        let values = fields[values: header]
        guard values.count <= 1 else { return .malformedActor(header, "must be sent once, not \(values.count) times.") }
        guard let value = values.first, !value.isEmpty, ActorName(value) == nil else { return nil }
        return .malformedActor(
            header,
            "must be one line of at most \(ActorName.limit) visible characters, with single spaces and no control characters, and "
                + "no name of a part of the server, such as schedule or token."
        )
    }

    /// Returns the caller, and whether the page may change the name.
    ///
    /// Throws a problem if a changing request does not name its caller. `fields` must have passed ``problem(with:)``.
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

/// The name of a caller, as runs, stores and the log record it: one line of 1 to 100 visible characters.
///
/// Control and format characters are invalid: they could end a line of the log, reverse its text, or make two names look the
/// same.
struct ActorName: Hashable, Sendable {
    static let limit = 100
    /// The maximum number of bytes, since a character can have any length.
    static let byteLimit = 400

    let text: String

    /// Parses a name that a client chooses; nil if it is malformed or denotes another kind of principal than a person.
    init?(_ text: String) {
        guard let clean = Self.clean(text), clean.utf8.elementsEqual(text.utf8), !ReservedName.isReserved(text) else {
            return nil
        }
        self.text = text
    }

    /// Cleans user input: removes invisible characters, collapses spaces and truncates; returns nil if nothing remains.
    init?(typed text: String) {
        guard let clean = Self.clean(text) else { return nil }
        self.text = clean
    }

    private static func clean(_ text: String) -> String? {
        let scalars = text.unicodeScalars.filter { isVisible($0) || $0.properties.isWhitespace }
        let visible = String(String.UnicodeScalarView(scalars))
        var name = visible.split { $0.isWhitespace }.joined(separator: " ")
        if name.count > limit { name = String(name.prefix(limit)) }
        while name.utf8.count > byteLimit { name.removeLast() }
        while name.last == " " { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        // The replacement character would make different names equal.
        default: scalar != "\u{FFFD}"
        }
    }
}
