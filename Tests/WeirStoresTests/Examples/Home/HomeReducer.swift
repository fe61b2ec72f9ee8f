import WeirStates
import WeirStores

struct HomeReducer: Reducer {
    enum State: Equatable, Codable, Sendable {
        case empty
        case loading(items: [String])
        case showing(items: [String])
        case failed(message: String)
    }

    enum Action: Equatable, Codable, Sendable {
        case refresh
        case stop
        case remove(item: String)
        case logOut
        case loaded(items: [String])
        case failed(message: String)
    }

    enum Effect: Equatable, Sendable {
        case toast(String)
        case showLogin
    }

    let load: @Sendable () async throws -> [String]
    let initialState = State.empty

    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect> {
        switch (action, state) {
        case (.refresh, _):
            dispatch.run(id: "load", cancelInFlight: true) { [load] dispatch in
                do {
                    dispatch(.loaded(items: try await load()))
                } catch {
                    dispatch(.failed(message: error.explanation))
                }
            }
            return Reduced(.loading(items: state.items))
        case (.stop, .loading(let items)):
            dispatch.cancel(id: "load")
            return Reduced(items.isEmpty ? .empty : .showing(items: items))
        case (.remove(let item), .showing(let items)):
            return Reduced(.showing(items: items.filter { $0 != item }), .toast("\(item) is removed."))
        case (.loaded(let items), _):
            return Reduced(.showing(items: items))
        case (.failed(let message), .loading(let items)) where !items.isEmpty:
            return Reduced(.showing(items: items), .toast(message))
        case (.failed(let message), _):
            return Reduced(.failed(message: message))
        case (.logOut, _):
            dispatch.cancel(id: "load")
            return Reduced(.empty, .showLogin)
        case (.stop, _), (.remove, _):
            return Reduced(state)
        }
    }
}

extension HomeReducer.State {
    var items: [String] {
        switch self {
        case .loading(let items), .showing(let items): items
        case .empty, .failed: []
        }
    }
}
