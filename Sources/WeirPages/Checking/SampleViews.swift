import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// One run in each of an operation's samples; rendered by the gallery and the check.
struct SampleViews {
    let views: [RunView]

    init(_ entry: CatalogEntry) {
        views = entry.samples.enumerated().compactMap { Self.view(of: entry, in: $1, id: "sample\($0)") }
    }

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

/// A store in each of its samples, with every kind of step and effect in its log; rendered by the gallery and the check.
struct SampleStores {
    let views: [StoreView]

    init(_ entry: StoreEntry) {
        let start = Timestamp(milliseconds: 1_795_262_400_000)
        let steps = Self.steps(of: entry)
        views = entry.samples.map { sample in
            let changes = steps.enumerated().map { index, step in
                Change(
                    sequence: SequenceNumber(clamping: index + 1),
                    draft: ChangeDraft(
                        stream: .store(entry.id), subject: entry.id, revision: Int64(index),
                        at: Timestamp(milliseconds: start.milliseconds + Int64(index) * 1_000),
                        state: index == steps.count - 1 ? sample : entry.initial, isTransition: true, step: step))
            }
            return StoreView(entry, changes: changes)
        }
    }

    private static func steps(of entry: StoreEntry) -> [StoreStep] {
        let effects: [RecordedEffect] = [
            RecordedEffect(.toast(message: "message"), audience: ["sample"]),
            RecordedEffect(.navigation(path: "/runs")),
            RecordedEffect(.download(filename: "file.txt", mediaType: "text/plain", text: "text")),
            RecordedEffect(.other(name: "other", payload: [:])),
        ]
        let actions = entry.forms.map { form in
            let values = form.fields.map { ($0.name, $0.defaultValue ?? "sample") }
            return RecordedAction(name: form.name, payload: .object(Dictionary(values) { $1 }))
        }
        return [
            StoreStep(.opened), StoreStep(.unreadable), StoreStep(.rehydrated, actor: "sample"),
            StoreStep(.returned, actor: "sample", returnedTo: 1), StoreStep(.reset, actor: "sample"),
        ] + actions.map { StoreStep(.action, action: $0, actor: "sample", effects: effects) }
    }
}
