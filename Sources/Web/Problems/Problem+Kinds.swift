import Boards
import HTTPTypes
import Operations
import States

extension Problem {
    static let malformedPath = Problem(
        "malformed-path", .badRequest, "Malformed path",
        "The path or query of the request is not properly encoded. Use paths exactly as they appear in pages and answers."
    )

    static func notFound(_ what: String) -> Problem {
        Problem("not-found", .notFound, "Not found", what)
    }

    static func unknownOperation(_ id: String) -> Problem {
        Problem(
            "unknown-operation", .notFound, "Unknown operation",
            "There is no operation “\(id.prefix(64))”. The list of operations names all operations.")
    }

    static func unknownStore(_ id: String) -> Problem {
        Problem(
            "unknown-store", .notFound, "Unknown store",
            "There is no store “\(id.prefix(64))”. The list of stores names all stores.")
    }

    static func unknownFeed(_ name: String) -> Problem {
        Problem(
            "unknown-feed", .notFound, "Unknown feed",
            "There is no feed “\(name.prefix(64))”. Feeds are board, operation- and an operation's id, run- and a run's id, "
                + "store- and a store's id."
        )
    }

    static let noSuchPage = notFound(
        "Nothing has this address. Start from the overview, or look at the list of operations.")

    static func methodNotAllowed(_ methods: [HTTPRequest.Method]) -> Problem {
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return Problem(
            "method-not-allowed", .methodNotAllowed, "Method not allowed",
            "This address accepts only \(names).", headers: [.allow: names])
    }

    static func malformedBody(_ detail: String) -> Problem {
        Problem("malformed-body", .badRequest, "Malformed body", detail, closes: true)
    }

    static func malformedQuery(_ field: String, _ detail: String) -> Problem {
        Problem(
            "malformed-query", .badRequest, "Malformed query", "The parameter “\(field)” \(detail)",
            errors: [.init(field: field, detail: detail)])
    }

    static func unsupportedMediaType(accepted: String) -> Problem {
        Problem(
            "unsupported-media-type", .unsupportedMediaType, "Unsupported media type",
            "Send the body as \(accepted) and name that in Content-Type.", headers: [.accept: accepted], closes: true)
    }

    static func tooLarge(limit: Int64) -> Problem {
        Problem(
            "too-large", .contentTooLarge, "Too large",
            "The body of this request can have at most \(ByteCount(clamping: limit)). Send less, or send a file as a file.",
            closes: true)
    }

    static func fileTooLarge(limit: Int64) -> Problem {
        Problem(
            "too-large", .contentTooLarge, "Too large",
            "The file can have at most \(ByteCount(clamping: limit)). Send a smaller one, or raise upload.maximum-size.",
            closes: true)
    }

    static func importTooLarge(limit: Int64) -> Problem {
        Problem(
            "too-large", .contentTooLarge, "Too large",
            "The file can have at most \(ByteCount(clamping: limit)). Export fewer runs at a time, or raise "
                + "import.maximum-size.", closes: true)
    }

    static func tooManyExports(_ maximum: Int) -> Problem {
        let number = maximum == 1 ? "One export is" : "\(maximum) exports are"
        return Problem(
            "too-many-exports", .serviceUnavailable, "Too many exports",
            "\(number) already being written, which is the limit. Try again later.", headers: [.retryAfter: "10"])
    }

    static let stalled = Problem(
        "incomplete-body", .badRequest, "Incomplete body",
        "The body of the request ended before its announced length. Send the whole body again.", closes: true)

    /// The problem of a body that this server stopped reading, rather than its client sending it.
    init?(stoppedBy failure: UploadFailure) {
        switch failure {
        case .tooSlow: self = .slowBody
        case .shutdown: self = .interruptedBody
        case .crowded: self = .crowdedBodies
        case .revoked: self = .revoked
        default: return nil
        }
    }

    /// The same problem with the address of what the request has made nonetheless.
    func located(_ location: String) -> Problem {
        var problem = self
        problem.headers[.location] = location
        return problem
    }

    private static let revoked = Problem(
        "forbidden", .forbidden, "Not allowed",
        "Your rights were taken away while the request was arriving. Nothing more was done than its address shows.",
        closes: true)

    private static let slowBody = Problem(
        "slow-body", .requestTimeout, "Request timeout",
        "The body of the request arrived too slowly. Send it again, over a faster connection if possible.", closes: true
    )

    private static let interruptedBody = Problem(
        "shutting-down", .serviceUnavailable, "Shutting down",
        "The server is shutting down and did not read the whole request. Send it again when the server is back.",
        closes: true)

    private static let crowdedBodies = Problem(
        "overloaded", .serviceUnavailable, "Overloaded",
        "The server is receiving too much at once. Try again later.", headers: [.retryAfter: "5"], closes: true)

    static func otherHost(_ host: String) -> Problem {
        Problem(
            "unknown-host", .misdirectedRequest, "Unknown host",
            "This server does not answer to the host name “\(host.prefix(100))”, so that no other site can reach it through "
                + "a name of its own. If the name is right, allow it: start with --allowed-hosts \(host.prefix(100)).",
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
            "This server reads the caller's name from the \(header.rawName) header, which this request does not "
                + "have, so nothing was changed. Send the request through the proxy that sets the header.", closes: true
        )
    }

    static func tooFrequent(retryAfter milliseconds: Int64) -> Problem {
        let seconds = max(1, (milliseconds + 999) / 1_000)
        return Problem(
            "too-many-requests", .tooManyRequests, "Too many requests",
            "States were put into stores too often, so this one was not. Try again in \(seconds) s.",
            headers: [.retryAfter: String(seconds)], closes: true)
    }

    static let crossSite = Problem(
        "cross-site", .forbidden, "Cross-site request",
        "A page of another site sent this request, and only this dashboard's own pages may change anything. Use its form, "
            + "or send the request from a program, without Origin and Sec-Fetch-Site.", closes: true)

    static let internalError = Problem(
        "internal", .internalServerError, "Internal error",
        "Something went wrong in the server; its log has details. Try again, and inform the operator if that does not help."
    )
}
