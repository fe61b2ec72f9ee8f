import WeirJournals
import WeirStates

/// The arguments of one call of `weir.append`, column by column; see `PostgresFunctions/append`.
///
/// Pure: the database decides whether the changes follow the stored ones; everything else is determined here.
struct AppendCall: Sendable {
    /// The summary of the changes of one stream.
    private struct Stream {
        let id: StreamID
        let subject: String
        let first: Int64
        let at: Int
        var last: Int64
        var end: Int
        var phase: Phase
        var ended: Timestamp?
        let opening: RunOpening?
        let started: Timestamp?
        let epoch: String?
    }

    private struct Row {
        let stream: Int
        let draft: ChangeDraft
        let payload: String
        let step: String?
        let origin: SequenceNumber?
    }

    private struct Lines {
        let run: String
        let known: SequenceNumber?
        var drafts: [OutputDraft]
    }

    private struct Producer {
        let run: String
        let id: String
        let state: ProducerState
    }

    private var streams: [Stream] = []
    private var places: [StreamID: Int] = [:]
    private var rows: [Row] = []
    private var lines: [Lines] = []
    private var producers: [Producer] = []
    private let importedAt: Timestamp?

    /// Creates an empty call; with a time, one that imports.
    init(importedAt: Timestamp? = nil) { self.importedAt = importedAt }

    var count: Int { rows.count }

    /// Adds a change; throws if it does not follow the earlier ones of this call.
    mutating func add(_ draft: ChangeDraft, origin: ChangeOrigin? = nil) throws {
        let place: Int
        if let known = places[draft.stream] {
            place = known
            try draft.check(follows: (streams[place].last, streams[place].subject))
        } else {
            let before = draft.revision.subtractingReportingOverflow(1).partialValue
            try draft.check(follows: draft.revision == 0 ? nil : (before, draft.subject))
            place = streams.count
            places[draft.stream] = place
            streams.append(
                Stream(
                    id: draft.stream, subject: draft.subject, first: draft.revision, at: rows.count + 1,
                    last: draft.revision, end: 0, phase: draft.state.phase, opening: draft.opening,
                    started: draft.opening.map { _ in draft.at }, epoch: origin?.epoch))
        }
        rows.append(
            Row(
                stream: place + 1, draft: draft, payload: try draft.state.payload.text(),
                step: try draft.step?.json.text(), origin: origin?.sequence))
        streams[place].last = draft.revision
        streams[place].end = rows.count
        streams[place].phase = draft.state.phase
        streams[place].ended = draft.state.phase.isEnded ? draft.at : nil
    }

    /// Adds lines to a run; the call fails if `known` is given and the run has another number of lines.
    mutating func add(_ drafts: [OutputDraft], to run: String, known: SequenceNumber? = nil) {
        if let place = lines.firstIndex(where: { $0.run == run }) {
            lines[place].drafts += drafts
        } else {
            lines.append(Lines(run: run, known: known, drafts: drafts))
        }
    }

    mutating func set(_ state: ProducerState, of producer: String, run: String) {
        producers.removeAll { $0.run == run && $0.id == producer }
        producers.append(Producer(run: run, id: producer, state: state))
    }

    var isEmpty: Bool { rows.isEmpty && lines.isEmpty && producers.isEmpty }

    // MARK: Statement

    static let statement: String = {
        let arguments = (1...47 + JournalColumns.added.count).map { "$\($0)" }.joined(separator: ", ")
        return "SELECT base, counts FROM weir.append(\(arguments))"
    }()

    func values(node: String, fence: Int64, batch: Int64) throws -> [any PostgresValue] {
        let openings = streams.map(\.opening)
        let call: [any PostgresValue] = [node, fence, batch, importedAt?.milliseconds]
        let stream: [any PostgresValue] = [
            streams.map { if case .run = $0.id { true } else { false } }, streams.map { AnyText($0.id.name) },
            streams.map { AnyText($0.subject) }, streams.map(\.first), streams.map(\.last), streams.map(\.at),
            streams.map(\.end), streams.map { JournalCode.code(of: $0.phase) }, streams.map { $0.ended?.milliseconds },
            openings.map { AnyText($0?.actor) }, try openings.map { try $0?.input.text() },
            openings.map { AnyText($0?.retryOf) }, openings.map { AnyText($0?.idempotencyKey) },
            streams.map { $0.started?.milliseconds }, try openings.map { try $0?.expected?.json.text() },
            openings.map { AnyText($0?.report.map { $0.title ?? "" }) }, streams.map(\.epoch),
        ]
        let change: [any PostgresValue] = [
            rows.map(\.stream), rows.map(\.draft.revision), rows.map(\.draft.at.milliseconds),
            rows.map { AnyText($0.draft.state.caseName) }, rows.map { JournalCode.code(of: $0.draft.state.phase) },
            rows.map(\.draft.isTransition), rows.map { $0.draft.state.progress?.completed },
            rows.map { $0.draft.state.progress?.total },
            rows.map { ($0.draft.state.progress?.unit).map(JournalCode.code(of:)) }, rows.map(\.payload),
            rows.map { AnyText($0.draft.cause) }, rows.map(\.origin), rows.map(\.step),
        ]
        return call + stream + change + lineValues + added
    }

    private var added: [any PostgresValue] {
        JournalColumns.added.map { column in streams.map { $0.opening.map(column.value) } }
    }

    private var lineValues: [any PostgresValue] {
        let all = lines.enumerated().flatMap { place, lines in
            lines.drafts.enumerated().map { (run: place + 1, number: $0.offset + 1, draft: $0.element) }
        }
        return [
            lines.map { AnyText($0.run) }, lines.map(\.known), all.map(\.run), all.map(\.number),
            all.map(\.draft.at.milliseconds), all.map { JournalCode.code(of: $0.draft.channel) },
            all.map(\.draft.continues), all.map { AnyText($0.draft.text) }, producers.map { AnyText($0.run) },
            producers.map { AnyText($0.id) }, producers.map(\.state.epoch), producers.map(\.state.number),
            producers.map(\.state.hasClosed),
        ]
    }

    // MARK: Result

    /// The changes, with their sequences after a base.
    func changes(after base: SequenceNumber) -> [Change] {
        rows.enumerated().map { place, row in
            Change(sequence: base.advanced(by: place).next, draft: row.draft)
        }
    }

    /// Maps an error of the database to the one that the journal's contract specifies.
    func meaning(of failure: PostgresFailure) -> any Error {
        let parts = failure.detail.split(separator: " ")
        let place = parts.first.flatMap { Int($0) } ?? 0
        switch failure.state {
        case PostgresState.unknownRun where lines.indices.contains(place):
            return JournalError.unknownRun(lines[place].run)
        case PostgresState.outOfOrder where streams.indices.contains(place):
            let stream = streams[place]
            guard let draft = rows.first(where: { $0.stream == place + 1 })?.draft else { return failure }
            let revision = parts.dropFirst().first.flatMap { Int64($0) }
            let subject = parts.last == "t" ? stream.subject : stream.subject + " of before"
            do {
                try draft.check(follows: revision.map { ($0, subject) })
                return failure
            } catch { return error }
        default: return failure
        }
    }
}

extension StreamID {
    fileprivate var name: String {
        switch self {
        case .run(let id), .store(let id): id
        }
    }
}
