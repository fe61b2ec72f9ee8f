import WeirStates
import WeirStores

struct LoginReducer: Reducer {
    struct State: Equatable, Codable {
        var name = ""
        var isLoading = false
        var error: String?
    }

    enum Action: Equatable {
        case nameChanged(String)
        case logIn(password: String)
        case cancel
        case loggedIn(user: String)
        case failed(message: String)
    }

    enum Effect: Equatable {
        case showHome(user: String)
    }

    let accounts: any Accounts
    let initialState = State()

    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect> {
        var next = state
        switch action {
        case .nameChanged(let name):
            next.name = name
            next.error = nil
        case .logIn(let password):
            next.isLoading = true
            next.error = nil
            dispatch.run(id: "log-in", cancelInFlight: true) { [accounts] dispatch in
                do {
                    dispatch(.loggedIn(user: try await accounts.logIn(state.name, password)))
                } catch {
                    dispatch(.failed(message: error.explanation))
                }
            }
        case .cancel:
            next.isLoading = false
            dispatch.cancel(id: "log-in")
        case .loggedIn(let user):
            return Reduced(State(), .showHome(user: user))
        case .failed(let message):
            next.isLoading = false
            next.error = message
        }
        return Reduced(next)
    }
}
