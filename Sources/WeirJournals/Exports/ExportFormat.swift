import WeirStates

/// The file format of exported runs, version 1: JSON lines in UTF-8, each one object, terminated by `
/// `.
///
/// The first line is the header: `{"header":{"created":…,"epoch":…,"format":1}}`, with the epoch of the exporting
/// journal. Runs follow, oldest first, each with all its changes in order, then all lines of its output.
///
///     {"change":{"at":"2026-11-21T11:39:23.123Z","case":"receiving","opening":{"actor":"anna","input":{…}},"payload":{},
///       "phase":"active","revision":0,"sequence":17,"stream":"run-01k…","subject":"file-upload","transition":true}}
///     {"output":{"at":"…","channel":"stdout","number":1,"run":"01k…","text":"…"}}
///
/// A change may also have `cause`, `progress` (`completed`, `total`, `unit`) and, if it was imported, `origin`
/// (`epoch`, `sequence`). An opening may have `retryOf`, `attempt` (1 if absent), `idempotencyKey`, `expected` (by case the bounds of the
/// remaining time in milliseconds, the number of runs for which they were right, and the number tested:
/// `{"receiving":[6000,9000,9,10]}`) and `report` (`{}`, or with a `title`) for a run that a program elsewhere
/// reports. A line may have `continues`. Readers ignore unknown members. The last line counts the preceding entries:
/// `{"end":{"changes":…,"lines":…,"runs":…}}`; a file without it is truncated.
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

    static func line(_ change: Change, hidesKey: Bool = false) -> JSONValue {
        var members: [String: JSONValue] = [
            "at": .string(change.at.description), "case": .string(change.state.caseName),
            "payload": change.state.payload, "phase": .string(change.state.phase.rawValue),
            "revision": .integer(change.revision), "sequence": .integer(change.sequence.rawValue),
            "stream": .string(change.stream.description), "subject": .string(change.subject),
            "transition": .bool(change.isTransition),
        ]
        members["cause"] = change.draft.cause.map(JSONValue.string)
        members["opening"] = change.draft.opening.map { opening($0, hidesKey: hidesKey) }
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

    private static func opening(_ opening: RunOpening, hidesKey: Bool) -> JSONValue {
        var members: [String: JSONValue] = ["actor": .string(opening.actor), "input": opening.input]
        members["retryOf"] = opening.retryOf.map(JSONValue.string)
        if opening.attempt > 1 { members["attempt"] = .integer(opening.attempt) }
        if !hidesKey { members["idempotencyKey"] = opening.idempotencyKey.map(JSONValue.string) }
        members["expected"] = opening.expected.map(\.json)
        members["report"] = opening.report.map { report in
            .object(report.title.map { ["title": .string($0)] } ?? [:])
        }
        return .object(members)
    }
}

enum ExportedEntry: Sendable, Hashable {
    /// A change, with its sequence in the export and the origin it keeps.
    case change(Change)
    case output(run: String, OutputLine)

    /// The id of the run it belongs to; nil for a change of a store, which no import accepts.
    var run: String? {
        switch self {
        case .change(let change): if case .run(let id) = change.stream { id } else { nil }
        case .output(let run, _): run
        }
    }
}

/// Reads the members of an object in an export; errors name the member.
struct ExportFields {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    func required<Result>(_ name: String, _ read: (JSONValue) -> Result?) throws -> Result {
        guard let result = value[name].flatMap(read) else {
            throw JournalError(.malformed, "“\(name)” is missing or has a wrong value.")
        }
        return result
    }

    func optional<Result>(_ name: String, _ read: (JSONValue) -> Result?) throws -> Result? {
        guard let member = value[name], member != .null else { return nil }
        guard let result = read(member) else {
            throw JournalError(.malformed, "“\(name)” has a wrong value.")
        }
        return result
    }

    // MARK: Entries

    func change(epoch: String) throws -> Change {
        let stream = try required("stream") { $0.string.flatMap(Self.stream) }
        let origin = try optional("origin", Self.object)?.origin()
        let progress = try optional("progress", Self.object)?.progress()
        let state = StateRecord(
            caseName: try name("case", limit: 200), payload: try required("payload") { $0 },
            phase: try required("phase") { $0.string.flatMap(Phase.init(rawValue:)) }, progress: progress)
        let draft = ChangeDraft(
            stream: stream, subject: try required("subject", Self.plainID),
            revision: try required("revision") { $0.sequenceNumber?.rawValue },
            at: try required("at", Self.moment), state: state, isTransition: try required("transition", \.bool),
            cause: try optional("cause", \.string), opening: try optional("opening", Self.object)?.opening())
        let sequence = try required("sequence", \.sequenceNumber)
        return Change(
            sequence: sequence, draft: draft, origin: origin ?? ChangeOrigin(epoch: epoch, sequence: sequence))
    }

    func outputLine() throws -> (run: String, line: OutputLine) {
        let text = try required("text") { value in
            value.string.flatMap { $0.utf8.count <= OutputDraft.maximumBytes ? $0 : nil }
        }
        guard !text.utf8.contains(UInt8(ascii: "\n")) else {
            throw JournalError(.malformed, "“text” has a line break, but each line is an entry of its own.")
        }
        let draft = OutputDraft(
            at: try required("at", Self.moment),
            channel: try required("channel") { $0.string.flatMap(OutputChannel.init(rawValue:)) }, text: text,
            continues: try optional("continues", \.bool) ?? false)
        return (
            try required("run", \.string), OutputLine(number: try required("number", \.sequenceNumber), draft: draft)
        )
    }

    private func origin() throws -> ChangeOrigin {
        ChangeOrigin(epoch: try name("epoch", limit: 64), sequence: try required("sequence", \.sequenceNumber))
    }

    private func progress() throws -> WorkProgress {
        WorkProgress(
            try required("completed", \.integer), of: try optional("total", \.integer),
            unit: try required("unit") { $0.string.flatMap(WorkProgress.Unit.init(rawValue:)) })
    }

    private func opening() throws -> RunOpening {
        RunOpening(
            actor: try name("actor", limit: VisibleName.actorLimit), input: try required("input") { $0 },
            retryOf: try optional("retryOf", Self.plainID),
            attempt: try optional("attempt") { value in
                value.integer.flatMap { RunOpening.attempts.contains($0) ? $0 : nil }
            } ?? 1,
            idempotencyKey: try optional("idempotencyKey", \.string),
            expected: try optional("expected") { RunEstimate($0) },
            report: try optional("report", Self.object)?.report())
    }

    private func report() throws -> RunReport {
        RunReport(title: try optional("title") { $0.string.flatMap { VisibleTitle.isSound($0) ? $0 : nil } })
    }

    /// Reads a name of visible characters, as a server records it.
    func name(_ member: String, limit: Int) throws -> String {
        let text = try required(member, \.string)
        guard VisibleName.isSound(text, limit: limit) else {
            throw JournalError(.malformed, "“\(member)” must be one line of 1 to \(limit) visible characters.")
        }
        return text
    }

    // MARK: Values

    static func object(_ value: JSONValue) -> ExportFields? { value.object == nil ? nil : ExportFields(value) }

    /// A moment that a server's clock can show; nil for any other.
    static func moment(_ value: JSONValue) -> Timestamp? {
        value.string.flatMap(Timestamp.init).flatMap { moments.contains($0) ? $0 : nil }
    }

    /// The years 1970 to 2999.
    private static let moments = Timestamp(milliseconds: 0)...Timestamp(milliseconds: 32_503_679_999_999)

    private static func stream(_ name: String) -> StreamID? {
        guard Topic(name) != nil else { return nil }
        let stream = StreamID(name)
        if case .run(let id) = stream, !Topic.isID(id) { return nil }
        return stream
    }

    /// An id that is safe in URLs and markup; nil for any other.
    static func plainID(_ value: JSONValue) -> String? { value.string.flatMap { Topic.isID($0) ? $0 : nil } }
}
