import HTTPTypes
import WeirOperations
import WeirStates

extension Problem {
    static let malformedPath = Problem(
        "malformed-path", .badRequest, "Malformed path", .malformedPath)

    static func notFound(_ wording: ProblemWording, _ values: [String: Message.Value] = [:]) -> Problem {
        Problem("not-found", .notFound, "Not found", wording, values)
    }

    static func notFound(_ what: String) -> Problem {
        Problem("not-found", .notFound, "Not found", what)
    }

    static func unknownOperation(_ id: String) -> Problem {
        Problem(
            "unknown-operation", .notFound, "Unknown operation",
            .unknownOperation, ["id": "\(id.prefix(64))"])
    }

    static func unknownStore(_ id: String) -> Problem {
        Problem(
            "unknown-store", .notFound, "Unknown store",
            .unknownStore, ["id": "\(id.prefix(64))"])
    }

    static func unknownFeed(_ name: String) -> Problem {
        Problem(
            "unknown-feed", .notFound, "Unknown feed",
            "There is no feed “\(name.prefix(64))”. Feeds are board, operation- and an operation's id, run- and a run's id, "
                + "store- and a store's id."
        )
    }

    static let noSuchPage = notFound(.noSuchPage)

    static func methodNotAllowed(_ methods: [HTTPRequest.Method]) -> Problem {
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return Problem(
            "method-not-allowed", .methodNotAllowed, "Method not allowed",
            .method, ["methods": .text(names)], headers: [.allow: names])
    }

    static func malformedBody(_ wording: ProblemWording, _ values: [String: Message.Value] = [:]) -> Problem {
        Problem("malformed-body", .badRequest, "Malformed body", wording, values, closes: true)
    }

    static func malformedBody(_ detail: String) -> Problem {
        Problem("malformed-body", .badRequest, "Malformed body", detail, closes: true)
    }

    static func malformedQuery(
        _ field: String, _ wording: ProblemWording, _ values: [String: Message.Value] = [:]
    ) -> Problem {
        let message = Message(wording, values.merging(["field": .text(field)]) { $1 })
        return Problem(
            "malformed-query", .badRequest, "Malformed query", message,
            errors: [InputMistake(field: field, message: message)])
    }

    static func malformedQuery(_ field: String, oneOf values: some Sequence<String>) -> Problem {
        .malformedQuery(field, .queryOneOf, ["names": .text(values.joined(separator: ", "))])
    }

    static func malformedQuery(_ field: String, _ detail: String) -> Problem {
        Problem(
            "malformed-query", .badRequest, "Malformed query", "The parameter “\(field)” \(detail)",
            errors: [.init(field: field, detail: detail)])
    }

    static func unknownParameter(_ name: String, among names: [String]) -> Problem {
        let name = String(name.prefix(64))
        if let nearest = NearestName.of(name, among: names) {
            return .malformedQuery(name, .queryNearest, ["nearest": .text(nearest)])
        }
        guard !names.isEmpty else { return .malformedQuery(name, .queryNone) }
        return .malformedQuery(name, .queryUnknown, ["names": .text(names.joined(separator: ", "))])
    }

    static let encodedBody = Problem(
        "unsupported-media-type", .unsupportedMediaType, "Unsupported media type", .bodyCoding,
        headers: [.acceptEncoding: "identity"], closes: true)

    static func unsupportedMediaType(accepted: String...) -> Problem {
        Problem(
            "unsupported-media-type", .unsupportedMediaType, "Unsupported media type",
            .mediaType, ["accepted": .either(accepted)], headers: [.accept: accepted.joined(separator: ", ")],
            closes: true)
    }

    static func tooLarge(limit: Int64) -> Problem {
        Problem(
            "too-large", .contentTooLarge, "Too large",
            .tooLarge, ["limit": "\(ByteCount(clamping: limit))"],
            closes: true)
    }

    static func fileTooLarge(limit: Int64) -> Problem {
        Problem(
            "too-large", .contentTooLarge, "Too large",
            .fileTooLarge, ["limit": "\(ByteCount(clamping: limit))"],
            closes: true)
    }

    static func importTooLarge(limit: Int64) -> Problem {
        Problem(
            "too-large", .contentTooLarge, "Too large",
            .importTooLarge, ["limit": "\(ByteCount(clamping: limit))"], closes: true)
    }

    static func tooManyExports(_ maximum: Int) -> Problem {
        Problem(
            "too-many-exports", .serviceUnavailable, "Too many exports",
            maximum == 1 ? .oneExport : .exports, ["count": "\(maximum)"], headers: [.retryAfter: "10"])
    }

    static let stalled = Problem(
        "incomplete-body", .badRequest, "Incomplete body",
        .stalled, closes: true)

    /// Creates the problem of a body that the server stopped reading; nil for the client's own failures.
    init?(stoppedBy failure: UploadFailure) {
        switch failure {
        case .tooSlow: self = .slowBody
        case .shutdown: self = .interruptedBody
        case .crowded: self = .crowdedBodies
        case .revoked: self = .revoked
        default: return nil
        }
    }

    /// Adds the location of a resource that the request created despite the problem.
    func located(_ location: String) -> Problem {
        var problem = self
        problem.headers[.location] = location
        return problem
    }

    private static let revoked = Problem(
        "forbidden", .forbidden, "Not allowed",
        .revoked,
        closes: true)

    private static let slowBody = Problem(
        "slow-body", .requestTimeout, "Request timeout",
        .slowBody, closes: true
    )

    private static let interruptedBody = Problem(
        "shutting-down", .serviceUnavailable, "Shutting down",
        .interruptedBody,
        closes: true)

    static let crowdedAnswers = Problem(
        "overloaded", .serviceUnavailable, "Overloaded",
        .crowdedAnswers, headers: [.retryAfter: "5"])

    private static let crowdedBodies = Problem(
        "overloaded", .serviceUnavailable, "Overloaded",
        .crowdedBodies, headers: [.retryAfter: "5"], closes: true)

    static func otherHost(_ host: String) -> Problem {
        Problem(
            "unknown-host", .misdirectedRequest, "Unknown host",
            .otherHost, ["host": "\(host.prefix(100))"],
            closes: true)
    }

    static let malformedHost = Problem(
        "malformed-request", .badRequest, "Malformed request",
        "The request must name the server once: with one Host field, and if its target is a whole URL, with the same name "
            + "there. Send one Host.", closes: true)

    static func malformedActor(_ header: HTTPField.Name, _ detail: String) -> Problem {
        Problem(
            "malformed-header", .badRequest, "Malformed header", "\(header.rawName) \(detail)",
            errors: [.init(field: header.rawName, detail: detail)], closes: true)
    }

    static func malformedActor(_ header: HTTPField.Name) -> Problem {
        malformedActor(
            header,
            "must be sent once, as one line of at most \(ActorName.limit) visible characters, with single spaces.")
    }

    static func missingActor(_ header: HTTPField.Name) -> Problem {
        Problem(
            "missing-actor", .badRequest, "Missing actor",
            .missingActor, ["header": .text(header.rawName)], closes: true
        )
    }

    static func tooFrequent(retryAfter milliseconds: Int64) -> Problem {
        let seconds = max(1, (milliseconds + 999) / 1_000)
        return Problem(
            "too-many-requests", .tooManyRequests, "Too many requests",
            .tooFrequent, ["seconds": "\(seconds)"],
            headers: [.retryAfter: String(seconds)], closes: true)
    }

    static let crossSite = Problem(
        "cross-site", .forbidden, "Cross-site request",
        .crossSite, closes: true)

    static let internalError = Problem(
        "internal", .internalServerError, "Internal error",
        .internalError
    )
}
