import Weir

/// A store as a user of the library writes it: with forms, offers, effects, and who acted when.
struct Checklist: Reducer {
    struct State: OfferingState {
        var done: [String] = []
        var by: String?
        var at: Timestamp?

        static var initial: State { State() }
        static var samples: [State] { [State(), State(done: ["pack"], by: "ana")] }
        var phase: Phase { .idle }
        var offers: [ActionOffer] {
            [ActionOffer("tick", title: "Pack", values: ["item": "pack"], anchor: "pack", isEnabled: done.isEmpty)]
        }
    }

    enum Action: AttributedAction {
        case tick(item: String, by: String? = nil, at: Timestamp? = nil)

        static var forms: [ActionForm] {
            [ActionForm("tick", "Tick", fields: [InputField("item", "Item", .text())], tone: ActionForm.Tone.primary)]
        }

        func acted(by actor: String, at time: Timestamp) -> Action {
            switch self {
            case .tick(let item, _, _): .tick(item: item, by: actor, at: time)
            }
        }
    }

    enum Effect: StoreEffect {
        case ticked(String)

        var presentation: RecordedEffect {
            switch self {
            case .ticked(let item):
                RecordedEffect(RecordedEffect.Kind.toast(message: "\(item) is done."), audience: ["ana"])
            }
        }
    }

    var initialState: State { .initial }

    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect> {
        switch action {
        case .tick(let item, let actor, let time):
            Reduced(State(done: state.done + [item], by: actor, at: time), .ticked(item))
        }
    }
}
