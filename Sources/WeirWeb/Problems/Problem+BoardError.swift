import HTTPTypes
import WeirBoards
import WeirOperations

extension Problem {
    /// What a board's refusal is over HTTP.
    ///
    /// Its words are meant for whoever asked.
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
            case .malformedImport: ("malformed-import", .unprocessableContent, "Malformed import")
            case .importConflict: ("import-conflict", .conflict, "Import conflict")
            case .searchTooLong: ("search-too-long", .unprocessableContent, "Search too long")
            case .importing: ("importing", .serviceUnavailable, "Importing")
            case .incomparable: ("incomparable", .unprocessableContent, "Incomparable")
            case .invalidInput: ("invalid-input", .unprocessableContent, "Invalid input")
            case .notReported: ("not-reported", .conflict, "Not reported")
            case .partOfAnother: ("part-of-another", .conflict, "Part of another operation")
            case .notAsking: ("not-asking", .conflict, "Nobody is asked")
            case .nothingToContinue: ("nothing-to-continue", .conflict, "Nothing to continue")
            case .alreadyEnded: ("already-ended", .conflict, "Already ended")
            case .stillRunning: ("still-running", .conflict, "Still running")
            case .busy: ("busy", .conflict, "Busy")
            case .keyReused: ("key-reused", .unprocessableContent, "Idempotency key reused")
            case .overloaded: ("overloaded", .serviceUnavailable, "Overloaded")
            case .notRecorded: ("not-recorded", .serviceUnavailable, "Not recorded yet")
            case .limitReached: ("limit-reached", .tooManyRequests, "Limit reached")
            case .unavailable: ("unavailable", .serviceUnavailable, "Unavailable")
            case .outcomeUnknown: ("outcome-unknown", .serviceUnavailable, "Outcome unknown")
            case .shuttingDown: ("shutting-down", .serviceUnavailable, "Shutting down")
            }
        self.init(kind, status, title, error.message, errors: error.fields)
        if status == .serviceUnavailable || status == .tooManyRequests { headers[.retryAfter] = "5" }
        // Whoever was sent to a run that has begun sees it once it is recorded, without JavaScript too.
        if error.code == .notRecorded { headers[.refresh] = "5" }
    }
}
