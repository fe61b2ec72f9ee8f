import WeirJournals

/// A line of Markdown below a step that records its history, in exports and in files.
///
///     - Done by Ana at 2026-11-21 10:42:07 UTC
///     - Skipped by Ana at 2026-11-21 10:42:07 UTC: not for a patch
///     - Comment by Bob at 2026-11-21 10:43:00 UTC: took two tries
///     - Assigned to Bob
///
/// Times are truncated to the second. The signature of comments and skips is optional.
enum RunbookRecord: Equatable {
    case done(Signature)
    case skipped(reason: String, signed: Signature?)
    case comment(RunbookComment)
    case assigned(to: String)

    // Unsafe: patterns of characters only have no state, and are compiled once, on first use. Matching takes linear time,
    // because a fixed-length text follows each lazy repetition. By scalars: a text can start with a combining mark that would
    // merge with the preceding space.
    private nonisolated(unsafe) static let doneLine =
        /Done by (.+?) at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/.matchingSemantics(.unicodeScalar)
    private nonisolated(unsafe) static let saidLine =
        /(Skipped|Comment)(?: by (.+?) at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC)?: (.+)/
        .matchingSemantics(.unicodeScalar)
    private static let assigned = "Assigned to "

    /// Parses a line; nil if it has another form.
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

    /// The UTC time of day to the second, such as `10:42:07`.
    var clock: Substring { description.split(separator: "T")[1].prefix(8) }
}

extension RunbookStep {
    /// Its history, in export order.
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

    mutating func take(_ record: RunbookRecord) {
        switch record {
        case .done(let signed): mark = .done(signed: signed)
        case .skipped(let reason, let signed): mark = .skipped(reason: reason, signed: signed)
        case .comment(let comment): comments.append(comment)
        case .assigned(let name): assignee = name
        }
    }
}
