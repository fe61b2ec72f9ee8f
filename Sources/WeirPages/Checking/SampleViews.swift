import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// Runs made up of an operation's samples, one that stands in each: what the gallery and the check render.
struct SampleViews {
    let views: [RunView]

    init(_ entry: CatalogEntry) {
        views = entry.samples.enumerated().compactMap { Self.view(of: entry, in: $1, id: "sample\($0)") }
    }

    /// A run that has come to a state.
    static func view(of entry: CatalogEntry, in state: StateRecord, id: String) -> RunView? {
        let start = Timestamp(milliseconds: 1_795_262_400_000)
        let opening = RunOpening(actor: "sample", input: input(entry))
        let stream = StreamID.run(id)
        let first = ChangeDraft(
            stream: stream, subject: entry.id, revision: 0, at: start, state: entry.initial, isTransition: true,
            opening: opening)
        let second = ChangeDraft(
            stream: stream, subject: entry.id, revision: 1, at: Timestamp(milliseconds: start.milliseconds + 1_800),
            state: state, isTransition: true, cause: cause(state.phase))
        return RunView(opening: Change(sequence: 1, draft: first))?.applying(Change(sequence: 2, draft: second))
    }

    private static func input(_ entry: CatalogEntry) -> JSONValue {
        let values = entry.fields.compactMap { field in field.defaultValue.map { (field.name, $0) } }
        return .object(Dictionary(values) { $1 })
    }

    private static func cause(_ phase: Phase) -> String? {
        switch phase {
        case .cancelled: EndCause.actor("sample").description
        case .interrupted: EndCause.stopped.description
        case .idle, .active, .succeeded, .failed: nil
        }
    }
}
