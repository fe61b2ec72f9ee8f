import HTTPTypes
import Hummingbird
import WeirBoards
import WeirOperations
import WeirPages
import WeirStates

/// An error response: a problem document (RFC 9457) or a page with the same content.
struct Problem: Error, Sendable {
    /// The machine-readable kind; `urn:weir:problem:` precedes it in documents.
    var kind: String
    var status: HTTPResponse.Status
    /// A short description of the kind, the same for all problems of that kind.
    var title: String
    let message: Message
    var errors: [InputMistake] = []
    var headers: HTTPFields = [:]
    /// Whether the server closes the connection without reading the rest of the request.
    var closes = false

    var detail: String { message.description }

    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ message: Message,
        errors: [InputMistake] = [], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.kind = kind
        self.status = status
        self.title = title
        self.message = message
        self.errors = errors
        self.headers = headers
        self.closes = closes
    }

    /// Creates a problem that browsers can receive, with a localized message.
    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ wording: ProblemWording,
        _ values: [String: Message.Value] = [:], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.init(kind, status, title, Message(wording, values), headers: headers, closes: closes)
    }

    /// Creates a problem that only programs receive, with an English message.
    init(
        _ kind: String, _ status: HTTPResponse.Status, _ title: String, _ detail: String,
        errors: [InputMistake] = [], headers: HTTPFields = [:], closes: Bool = false
    ) {
        self.init(
            kind, status, title, Message(verbatim: detail), errors: errors, headers: headers, closes: closes)
    }
}

extension Problem {
    /// Creates the HTTP representation of a board's refusal, with its message.
    init(_ error: BoardError) {
        let (kind, status, title): (String, HTTPResponse.Status, String) =
            switch error.code {
            case .unknownOperation: ("unknown-operation", .notFound, "Unknown operation")
            case .unknownRun: ("unknown-run", .notFound, "Unknown run")
            case .unknownStore: ("unknown-store", .notFound, "Unknown store")
            case .unknownSchedule: ("unknown-schedule", .notFound, "Unknown schedule")
            case .unknownAction: ("unknown-action", .unprocessableContent, "Unknown action")
            case .notAllowed: ("forbidden", .forbidden, "Not allowed")
            case .unknownMoment: ("unknown-moment", .notFound, "Unknown moment")
            case .removedRun: ("removed-run", .gone, "Removed run")
            case .deletedRun: ("deleted-run", .gone, "Deleted run")
            case .stepOfRun: ("step-of-run", .conflict, "Step of a run")
            case .malformedImport: ("malformed-import", .unprocessableContent, "Malformed import")
            case .importConflict: ("import-conflict", .conflict, "Import conflict")
            case .searchTooLong: ("search-too-long", .unprocessableContent, "Search too long")
            case .importing: ("importing", .serviceUnavailable, "Importing")
            case .incomparable: ("incomparable", .unprocessableContent, "Incomparable")
            case .invalidInput: ("invalid-input", .unprocessableContent, "Invalid input")
            case .notReported: ("not-reported", .conflict, "Not reported")
            case .partOfAnother: ("part-of-another", .conflict, "Part of another operation")
            case .notAsking: ("not-asking", .conflict, "No decision pending")
            case .nothingToAcknowledge: ("nothing-to-acknowledge", .conflict, "Nothing to acknowledge")
            case .nothingToContinue: ("nothing-to-continue", .conflict, "Nothing to continue")
            case .unknownStep: ("unknown-step", .unprocessableContent, "Unknown step")
            case .alreadyEnded: ("already-ended", .conflict, "Already ended")
            case .stillRunning: ("still-running", .conflict, "Still running")
            case .busy: ("busy", .conflict, "Busy")
            case .keyReused: ("key-reused", .unprocessableContent, "Idempotency key reused")
            case .overloaded: ("overloaded", .serviceUnavailable, "Overloaded")
            case .notRecorded: ("not-recorded", .serviceUnavailable, "Not recorded yet")
            case .noSpace:
                (
                    "insufficient-storage", HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                    "Insufficient storage"
                )
            case .limitReached: ("limit-reached", .tooManyRequests, "Limit reached")
            case .unavailable: ("unavailable", .serviceUnavailable, "Unavailable")
            case .outcomeUnknown: ("outcome-unknown", .serviceUnavailable, "Outcome unknown")
            case .shuttingDown: ("shutting-down", .serviceUnavailable, "Shutting down")
            }
        self.init(kind, status, title, error.message, errors: error.fields)
        if status == .serviceUnavailable || status == .tooManyRequests { headers[.retryAfter] = "5" }
        // Reloads the page once the run is recorded, also without JavaScript.
        if error.code == .notRecorded { headers[.refresh] = "5" }
    }
}

extension Problem {
    /// Returns the problem document in the given language; `instance` is the path of the request.
    func document(instance: String, by renderer: PageRenderer, in locale: PageLocale) -> JSONValue {
        let title = renderer.problemTitle(status.code, locale: locale) ?? title
        var members: [String: JSONValue] = [
            "type": .string("urn:weir:problem:" + kind), "title": .string(title),
            "status": .integer(Int64(status.code)), "detail": .string(renderer.text(of: message, locale: locale)),
            "instance": .string(instance),
        ]
        if !errors.isEmpty {
            members["errors"] = .array(
                errors.map {
                    [
                        "field": .string($0.field), "detail": .string(renderer.text(of: $0.message, locale: locale)),
                    ]
                })
        }
        return .object(members)
    }

    func page(by renderer: PageRenderer, _ frame: PageFrame) -> Response {
        let page = PageProblem(status: status.code, title: title, detail: message)
        return .page(renderer.problem(page, frame: frame), status: status)
    }

    /// Returns the problem document as the response to a request for `target`, a path with a query.
    func document(at target: String, by renderer: PageRenderer, in locale: PageLocale) -> Response {
        let path = String(target.prefix { $0 != "?" }.prefix(1_000))
        let headers: HTTPFields = [.contentLanguage: locale.tag]
        do {
            return try .json(
                document(instance: path, by: renderer, in: locale), type: "application/problem+json", status: status,
                headers: headers)
        } catch {
            return Response(status: .internalServerError, headers: [.cacheControl: "no-store"])
        }
    }
}
