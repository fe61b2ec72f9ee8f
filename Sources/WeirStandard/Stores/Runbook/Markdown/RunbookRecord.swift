import WeirJournals

/// What became of a step, as a line of Markdown below it: how an export tells it, and how a file can.
///
///     - Done by Ana at 2026-11-21 10:42:07 UTC
///     - Skipped by Ana at 2026-11-21 10:42:07 UTC: not for a patch
///     - Comment by Bob at 2026-11-21 10:43:00 UTC: took two tries
///     - Assigned to Bob
///
/// Times are cut to the second. Who and when can be missing from a comment and a skip.
enum RunbookRecord: Equatable {
    case done(Signature)
    case skipped(reason: String, signed: Signature?)
    case comment(RunbookComment)
    case assigned(to: String)

    // Unsafe: a pattern made of characters alone has no state of its own; it is compiled once, as it is used first. Each
    // takes a time proportional to the line's length: what stands behind a lazy repetition has a length of its own. By scalars: a
    // text can begin with a mark that would be one character with the space before it.
    private nonisolated(unsafe) static let doneLine =
        /Done by (.+?) at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/.matchingSemantics(.unicodeScalar)
    private nonisolated(unsafe) static let saidLine =
        /(Skipped|Comment)(?: by (.+?) at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC)?: (.+)/
        .matchingSemantics(.unicodeScalar)
    private static let assigned = "Assigned to "

    /// Reads a line; nil if it has another form.
    init?(_ line: String) {
        func signature(_ name: Substring, _ day: Substring, _ clock: Substring) -> Signature? {
            Timestamp("\(day)T\(clock)Z").map { Signature(by: String(name), at: $0) }
        }
        if let match = line.wholeMatch(of: Self.doneLine) {
            guard let signed = signature(match.1, match.2, match.3) else { return nil }
            self = .done(signed)
        } else if line.utf8.starts(with: Self.assigned.utf8), line != Self.assigned {
            self = .assigned(to: String(line.unicodeScalars.dropFirst(Self.assigned.unicodeScalars.count)))
        } else if let match = line.wholeMatch(of: Self.saidLine) {
            var signed: Signature?
            if let name = match.2, let day = match.3, let clock = match.4 {
                signed = signature(name, day, clock)
                guard signed != nil else { return nil }
            }
            let text = String(match.5)
            self = match.1 == "Skipped" ? .skipped(reason: text, signed: signed) : .comment(.init(text, signed: signed))
        } else {
            return nil
        }
    }

    /// The line.
    var text: String {
        switch self {
        case .done(let signed): "Done\(Self.words(signed))"
        case .skipped(let reason, let signed): "Skipped\(Self.words(signed)): \(reason)"
        case .comment(let comment): "Comment\(Self.words(comment.signed)): \(comment.text)"
        case .assigned(let name): Self.assigned + name
        }
    }

    private static func words(_ signed: Signature?) -> String {
        signed.map { " by \($0.by) at \($0.at.day) \($0.at.clock) UTC" } ?? ""
    }
}

extension Timestamp {
    /// The day, such as `2026-11-21`.
    var day: Substring { description.split(separator: "T")[0] }

    /// The time of day to the second, in UTC, such as `10:42:07`.
    var clock: Substring { description.split(separator: "T")[1].prefix(8) }
}

extension RunbookStep {
    /// The records of what happened to it, in the order of an export.
    var records: [RunbookRecord] {
        var records: [RunbookRecord] = []
        if let assignee { records.append(.assigned(to: assignee)) }
        switch mark {
        case .done(let signed?): records.append(.done(signed))
        case .skipped(let reason, let signed): records.append(.skipped(reason: reason, signed: signed))
        case .done(nil), nil: break
        }
        return records + comments.map(RunbookRecord.comment)
    }

    /// Applies a record from a line below the step.
    mutating func take(_ record: RunbookRecord) {
        switch record {
        case .done(let signed): mark = .done(signed: signed)
        case .skipped(let reason, let signed): mark = .skipped(reason: reason, signed: signed)
        case .comment(let comment): comments.append(comment)
        case .assigned(let name): assignee = name
        }
    }
}
