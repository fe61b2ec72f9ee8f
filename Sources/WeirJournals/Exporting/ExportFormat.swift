import WeirStates

/// The file of exported runs, format 1: JSON lines, each one object, in UTF-8, ended by `\n`.
///
/// The first line is the header: `{"header":{"created":…,"epoch":…,"format":1}}`, with the epoch of the journal the
/// runs are from. Then run after run, oldest first: all its changes in their order, then all lines of its output.
///
///     {"change":{"at":"2026-11-21T11:39:23.123Z","case":"receiving","opening":{"actor":"anna","input":{…}},"payload":{},
///       "phase":"active","revision":0,"sequence":17,"stream":"run-01k…","subject":"file-upload","transition":true}}
///     {"output":{"at":"…","channel":"stdout","number":1,"run":"01k…","text":"…"}}
///
/// A change may also have `cause`, `progress` (`completed`, `total`, `unit`) and, where it was itself imported before,
/// `origin` (`epoch`, `sequence`); an opening may have `retryOf`, `idempotencyKey` and `expected`, by case the bounds of
/// what was left, in milliseconds, and of how many runs that was right (`{"receiving":[6000,9000,9,10]}`), and `report`,
/// `{}` or with a `title`, of a run that was reported by a program elsewhere; a line `continues`. Members that a reader does not know are passed over. The last line counts what should have come before it:
/// `{"end":{"changes":…,"lines":…,"runs":…}}`; a file without it was cut off.
enum ExportFormat {
    static let version: Int64 = 1

    // MARK: Writing

    static func header(epoch: String, created: Timestamp) -> JSONValue {
        ["header": ["created": .string(created.description), "epoch": .string(epoch), "format": .integer(version)]]
    }

    static func end(_ summary: ExportSummary) -> JSONValue {
        [
            "end": [
                "changes": .integer(Int64(summary.changes)), "lines": .integer(Int64(summary.lines)),
                "runs": .integer(Int64(summary.runs)),
            ]
        ]
    }

    static func line(_ change: Change) -> JSONValue {
        var members: [String: JSONValue] = [
            "at": .string(change.at.description), "case": .string(change.state.caseName),
            "payload": change.state.payload, "phase": .string(change.state.phase.rawValue),
            "revision": .integer(change.revision), "sequence": .integer(change.sequence.rawValue),
            "stream": .string(change.stream.description), "subject": .string(change.subject),
            "transition": .bool(change.isTransition),
        ]
        members["cause"] = change.draft.cause.map(JSONValue.string)
        members["opening"] = change.draft.opening.map(opening)
        members["origin"] = change.origin.map {
            ["epoch": .string($0.epoch), "sequence": .integer($0.sequence.rawValue)]
        }
        members["progress"] = change.state.progress.map { progress in
            var members: [String: JSONValue] = [
                "completed": .integer(progress.completed), "unit": .string(progress.unit.rawValue),
            ]
            members["total"] = progress.total.map(JSONValue.integer)
            return .object(members)
        }
        return ["change": .object(members)]
    }

    static func line(_ line: OutputLine, of run: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "at": .string(line.at.description), "channel": .string(line.channel.rawValue),
            "number": .integer(line.number.rawValue), "run": .string(run), "text": .string(line.text),
        ]
        if line.continues { members["continues"] = true }
        return ["output": .object(members)]
    }

    private static func opening(_ opening: RunOpening) -> JSONValue {
        var members: [String: JSONValue] = ["actor": .string(opening.actor), "input": opening.input]
        members["retryOf"] = opening.retryOf.map(JSONValue.string)
        members["idempotencyKey"] = opening.idempotencyKey.map(JSONValue.string)
        members["expected"] = opening.expected.map(\.json)
        members["report"] = opening.report.map { report in
            .object(report.title.map { ["title": .string($0)] } ?? [:])
        }
        return .object(members)
    }
}

/// One entry of an export.
enum ExportedEntry: Sendable, Hashable {
    /// A change, with its sequence in the export and the origin it keeps.
    case change(Change)
    /// A line of a run's output.
    case output(run: String, OutputLine)

    /// The id of the run it belongs to; nil for a change of a store, which no import accepts.
    var run: String? {
        switch self {
        case .change(let change): if case .run(let id) = change.stream { id } else { nil }
        case .output(let run, _): run
        }
    }
}
