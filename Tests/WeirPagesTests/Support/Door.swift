import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates
import WeirStores

/// A store with every kind of action and effect, of which only the declarations are wanted.
struct Door: Reducer {
    let initialState = DoorState.closed(bolts: [DoorBolt(id: 1, isShut: true), DoorBolt(id: 2, isShut: false)])

    func reduce(
        _ action: DoorAction, _ state: DoorState, _ dispatch: Dispatcher<DoorAction>
    ) -> Reduced<DoorState, DoorEffect> {
        Reduced(state)
    }
}

struct DoorEffect: StoreEffect {
    let presentation: RecordedEffect
}

struct DoorBolt: Codable, Equatable, Sendable {
    var id: Int
    var isShut: Bool
}

enum DoorAction: StoreAction {
    case open(by: String, width: Int?)
    case close
    case draw(bolt: Int)
    case paint(bolt: Int, colour: String)

    static var forms: [ActionForm] {
        let bolt = InputField("bolt", "Bolt", .integer(1...9), required: true)
        return [
            ActionForm(
                "open", "Open",
                fields: [
                    InputField("by", "By whom", .text(maximumLength: 20), required: true, help: "A first name."),
                    InputField("width", "Width", .integer(1...90), default: 45, unit: "°"),
                ], tone: .primary),
            ActionForm("close", "Close", tone: .danger),
            ActionForm("draw", "Draw", fields: [bolt]),
            ActionForm(
                "paint", "Paint",
                fields: [bolt, InputField("colour", "Colour", .choice(["red", "blue"]), required: true)]),
        ]
    }
}

enum DoorState: OfferingState {
    case closed(bolts: [DoorBolt])
    case open(by: String, width: Int)
    case broken(message: String)

    static var samples: [Self] {
        [Door().initialState, .open(by: "Ana", width: 45), .broken(message: "The hinge is off.")]
    }

    var phase: Phase {
        switch self {
        case .closed: .idle
        case .open: .active
        case .broken: .failed
        }
    }

    var offers: [ActionOffer] {
        switch self {
        case .closed(let bolts):
            [ActionOffer("open", isEnabled: bolts.allSatisfy { !$0.isShut }), ActionOffer("open", title: "Push")]
                + bolts.flatMap { bolt in
                    ["draw", "paint"].map {
                        ActionOffer($0, values: ["bolt": .integer(Int64(bolt.id))], anchor: "\(bolt.id)")
                    }
                }
        case .open: [ActionOffer("close")]
        case .broken: []
        }
    }
}
