import Boards
import HTTPTypes
import Operations

extension Problem {
    static let malformedPath = Problem(
        "malformed-path", .badRequest, "Malformed path",
        "The path or query of the request is not properly encoded. Ask for a path as pages and answers give it.")

    static func notFound(_ what: String) -> Problem {
        Problem("not-found", .notFound, "Not found", what)
    }

    static func unknownOperation(_ id: String) -> Problem {
        Problem(
            "unknown-operation", .notFound, "Unknown operation",
            "There is no operation “\(id.prefix(64))”. The list of operations names those there are.")
    }

    static func unknownStore(_ id: String) -> Problem {
        Problem(
            "unknown-store", .notFound, "Unknown store",
            "There is no store “\(id.prefix(64))”. The list of stores names those there are.")
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
            "This address answers \(names) and nothing else.", headers: [.allow: names])
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
            "The body of this request may have \(limit) bytes at most. Send less, or send a file as a file.",
            closes: true)
    }

    static let stalled = Problem(
        "incomplete-body", .badRequest, "Incomplete body",
        "The body of the request ended before its announced end. Send it again, whole.", closes: true)

    static func otherHost(_ host: String) -> Problem {
        Problem(
            "unknown-host", .misdirectedRequest, "Unknown host",
            "This server does not answer to the host name “\(host.prefix(100))”, so that no other site can reach it through "
                + "a name of its own. If the name is right, allow it: start with --allowed-hosts \(host.prefix(100)).",
            closes: true)
    }

    static let crossSite = Problem(
        "cross-site", .forbidden, "Cross-site request",
        "A page of another site sent this request, and only this dashboard's own pages may change anything. Use its form, "
            + "or send the request from a program, without Origin and Sec-Fetch-Site.", closes: true)

    static let internalError = Problem(
        "internal", .internalServerError, "Internal error",
        "Something went wrong in the server; its log tells what. Try again, and tell whoever runs it if that does not help."
    )
}
