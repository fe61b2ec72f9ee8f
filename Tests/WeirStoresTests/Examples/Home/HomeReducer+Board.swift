import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension HomeReducer.State: OfferingState {
    static var samples: [Self] {
        [.empty, .loading(items: ["Milk"]), .showing(items: ["Milk", "Bread"]), .failed(message: "No network.")]
    }

    var phase: Phase {
        switch self {
        case .empty: .idle
        case .loading: .active
        case .showing: .succeeded
        case .failed: .failed
        }
    }

    var offers: [ActionOffer] {
        let removals = items.map { ActionOffer("remove", title: "Remove \($0)", values: ["item": .string($0)]) }
        if case .loading = self { return [ActionOffer("stop")] }
        return [ActionOffer("refresh")] + removals + [ActionOffer("logOut")]
    }
}

extension HomeReducer.Action: StoreAction {
    static var forms: [ActionForm] {
        [
            ActionForm("refresh", "Refresh", tone: .primary), ActionForm("stop", "Stop"),
            ActionForm("remove", "Remove", fields: [InputField("item", "Item", .text(), required: true)]),
            ActionForm("logOut", "Log out", tone: .danger),
        ]
    }
}

extension HomeReducer.Effect: StoreEffect {
    var presentation: RecordedEffect {
        switch self {
        case .toast(let message): RecordedEffect(.toast(message: message))
        case .showLogin: RecordedEffect(.navigation(path: "/stores/login"))
        }
    }
}
