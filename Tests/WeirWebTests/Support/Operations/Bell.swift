import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates
import WeirStores

/// A store that counts how often it was rung, and says, leads and hands out what it is told to.
struct Bell: Reducer {
    let initialState = BellState(rings: 0)

    func reduce(
        _ action: BellAction, _ state: BellState, _ dispatch: Dispatcher<BellAction>
    ) -> Reduced<BellState, BellEffect> {
        switch action {
        case .ring(let times, let by): Reduced(BellState(rings: state.rings + times, by: by))
        case .say(let words, let to): Reduced(state, BellEffect(.toast(message: words), audience: to.map { [$0] }))
        case .lead(let path): Reduced(state, BellEffect(.navigation(path: path)))
        case .hand(let name):
            Reduced(
                state, BellEffect(.download(filename: name, mediaType: "text/markdown", text: "# \(state.rings)\n")))
        }
    }
}

struct BellState: RecordableState {
    var rings: Int
    var by: String?

    static var samples: [Self] { [Bell().initialState, BellState(rings: 3, by: "Ana")] }
    var phase: Phase { rings == 0 ? .idle : .active }
}

enum BellAction: AttributedAction {
    case ring(times: Int, by: String?)
    case say(words: String, to: String?)
    case lead(path: String)
    case hand(name: String)

    func acted(by actor: String, at time: Timestamp) -> Self {
        guard case .ring(let times, _) = self else { return self }
        return .ring(times: times, by: actor)
    }

    static var forms: [ActionForm] {
        let text = InputField.Kind.text(maximumLength: 50)
        return [
            ActionForm("ring", "Ring", fields: [InputField("times", "Times", .integer(1...9), required: true)]),
            ActionForm(
                "say", "Say",
                fields: [InputField("words", "Words", text, required: true), InputField("to", "To", text)]),
            ActionForm("lead", "Lead", fields: [InputField("path", "Path", text, required: true)]),
            ActionForm("hand", "Hand out", fields: [InputField("name", "Name", text, required: true)]),
        ]
    }
}

struct BellEffect: StoreEffect {
    let presentation: RecordedEffect

    init(_ kind: RecordedEffect.Kind, audience: [String]? = nil) {
        presentation = RecordedEffect(kind, audience: audience)
    }
}
