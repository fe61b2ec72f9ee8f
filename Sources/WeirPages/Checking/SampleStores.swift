import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// A store in each of its samples, with every kind of step and effect in its log: what the gallery and the check render.
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
