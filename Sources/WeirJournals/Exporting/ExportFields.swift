import WeirStates

/// Reads the members of an object in an export, and reports which one is wrong.
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

    // MARK: What an export is made of

    func change(epoch: String) throws -> Change {
        let stream = try required("stream") { $0.string.flatMap { Topic($0) == nil ? nil : StreamID($0) } }
        let origin = try optional("origin", Self.object)?.origin()
        let progress = try optional("progress", Self.object)?.progress()
        let state = StateRecord(
            caseName: try required("case", \.string), payload: try required("payload") { $0 },
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
        let draft = OutputDraft(
            at: try required("at", Self.moment),
            channel: try required("channel") { $0.string.flatMap(OutputChannel.init(rawValue:)) }, text: text,
            continues: try optional("continues", \.bool) ?? false)
        return (
            try required("run", \.string), OutputLine(number: try required("number", \.sequenceNumber), draft: draft)
        )
    }

    private func origin() throws -> ChangeOrigin {
        ChangeOrigin(epoch: try required("epoch", \.string), sequence: try required("sequence", \.sequenceNumber))
    }

    private func progress() throws -> WorkProgress {
        WorkProgress(
            try required("completed", \.integer), of: try optional("total", \.integer),
            unit: try required("unit") { $0.string.flatMap(WorkProgress.Unit.init(rawValue:)) })
    }

    private func opening() throws -> RunOpening {
        RunOpening(
            actor: try required("actor", \.string), input: try required("input") { $0 },
            retryOf: try optional("retryOf", \.string), idempotencyKey: try optional("idempotencyKey", \.string),
            expected: try optional("expected") { RunEstimate($0) },
            report: try optional("report", Self.object)?.report())
    }

    private func report() throws -> RunReport { RunReport(title: try optional("title", \.string)) }

    // MARK: Kinds of values

    static func object(_ value: JSONValue) -> ExportFields? { value.object == nil ? nil : ExportFields(value) }

    static func moment(_ value: JSONValue) -> Timestamp? { value.string.flatMap(Timestamp.init) }

    /// An id that is safe in addresses and in markup; nil for any other.
    static func plainID(_ value: JSONValue) -> String? {
        value.string.flatMap { Topic("operation-\($0)") == nil ? nil : $0 }
    }
}
