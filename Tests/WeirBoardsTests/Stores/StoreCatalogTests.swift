import Testing
@testable import WeirJournals
import WeirOperations
import WeirStates
import WeirStores

@testable import WeirBoards

@Suite struct StoreCatalogTests {
    /// A store whose declarations contradict each other in every way there is.
    struct Crooked: Reducer {
        struct State: OfferingState {
            var weight = 1.0
            static var samples: [State] { [State(weight: .nan)] }
            var phase: Phase { .idle }
            var offers: [ActionOffer] { [ActionOffer("push"), ActionOffer("pull", values: ["force": 1])] }
        }

        enum Action: StoreAction {
            case pull(hard: Bool)
            static var forms: [ActionForm] {
                [
                    ActionForm("pull", "Pull"), ActionForm("twist", "Twist"),
                    ActionForm("pull", "Pull", fields: [InputField("hard", "Hard", .file)]),
                    ActionForm("pull", "Pull", fields: [InputField("hard", "Hard", .boolean)]),
                ]
            }
        }

        var initialState: State { State() }
        func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Never> {
            Reduced(state)
        }
    }

    @Test func `a store tells its forms, its samples and its initial state`() throws {
        var catalog = Catalog()
        catalog.add(store: Tally(initial: 4), id: "tally", title: "Tally", summary: "Counts.")
        let store = try #require(catalog.store("tally"))
        #expect(store.problems.isEmpty)
        #expect(store.forms.map(\.name) == ["add", "close", "load"])
        #expect(store.samples.map(\.caseName) == ["counting", "counting", "closed"])
        #expect(store.initial.payload == ["count": 4])
        #expect(catalog.entries.isEmpty)
        catalog.add(store: Tally(initial: 5), id: "tally", title: "Tally", summary: "Counts.")
        #expect(catalog.stores.map(\.initial.payload) == [["count": 5]])
    }

    @Test func `declarations that contradict each other are told in sentences`() {
        var catalog = Catalog()
        catalog.add(store: Crooked(), id: "crooked", title: "Crooked", summary: "Wrong.")
        let problems = catalog.stores.flatMap(\.problems)
        let expected = [
            "crooked: The state State(weight: nan) cannot be encoded and decoded",
            "crooked: There are no samples of its states.",
            "crooked: The form pull does not produce an action", "crooked: The form twist does not produce an action",
            "crooked: The form pull is declared twice.",
            "crooked: The form pull: a file cannot be part of an action.",
            "crooked: A state offers push, which has no form.",
            "crooked: A state offers pull with a value for force, which is not one of its fields.",
        ]
        for words in expected { #expect(problems.contains { $0.hasPrefix(words) }, "\(words)") }
    }

    @Test func `an action and an effect read back as they were written`() throws {
        let actions = [
            RecordedAction(name: "tick", payload: ["step": 3]), RecordedAction(name: "reset"),
            RecordedAction(name: "odd", payload: ["type": "x"]), RecordedAction(name: "odd", payload: ["payload": 1]),
        ]
        for action in actions { #expect(RecordedAction(json: action.json) == action) }
        #expect(actions[0].json == ["type": "tick", "step": 3])
        let effects = [
            RecordedEffect(.toast(message: "a")), RecordedEffect(.navigation(path: "/runs"), audience: []),
            RecordedEffect(.download(filename: "a.md", mediaType: "text/markdown", text: "b"), audience: ["anna"]),
            RecordedEffect(.other(name: "c", payload: [1])),
        ]
        for effect in effects { #expect(RecordedEffect(json: effect.json) == effect) }
        let step = StoreStep(
            .returned, action: actions[0], actor: "anna", effects: effects, returnedTo: 7, idempotencyKey: "k")
        #expect(StoreStep(json: step.json) == step)
        #expect(try JSONValue(encoding: step).decode(StoreStep.self) == step)
        #expect(StoreStep(json: ["kind": "action", "effects": [["kind": "shout"]]]) == nil)
        #expect(StoreStep(json: ["kind": "nothing"]) == nil)
    }
}
