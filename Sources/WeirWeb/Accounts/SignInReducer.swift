import WeirAccess
import WeirPages
import WeirStores

/// The sign-in as a store: the login of *A Redux implementation for Kotlin Multiplatform*, brought to life.
///
/// A name is typed, a password is sent, and while the accounts are asked the store is loading. What comes of it is a state,
/// the mistake that the form shows, or an effect, which happens once: somebody is signed in. One store serves one form that
/// was sent; nothing of it is recorded, and no state holds the password.
struct SignInReducer: Reducer {
    struct State: Equatable {
        var name = ""
        var isLoading = false
        var mistake: SignInForm.Mistake?
    }

    enum Action {
        case nameChanged(String)
        case signIn(password: String)
        case cancel
        case signedIn(SecretText)
        case failed(SignInForm.Mistake)
    }

    enum Effect {
        /// The browser keeps the secret and goes on to where it wanted to go.
        case enter(SecretText)
    }

    /// Where people have an account.
    typealias Accounts = @Sendable (_ name: String, _ password: String) async throws -> SignInOutcome

    let accounts: Accounts
    let initialState = State()

    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect> {
        var next = state
        switch action {
        case .nameChanged(let name):
            next.name = name
            next.mistake = nil
        case .signIn(let password):
            next.isLoading = true
            next.mistake = nil
            dispatch.run(id: "sign-in", cancelInFlight: true) { [accounts] dispatch in
                do {
                    switch try await accounts(state.name, password) {
                    case .signedIn(let secret, _): dispatch(.signedIn(secret))
                    case .wrong: dispatch(.failed(.wrong))
                    case .throttled(let wait): dispatch(.failed(.tooMany(max(1, (wait + 999) / 1_000))))
                    case .busy: dispatch(.failed(.busy))
                    }
                } catch {
                    dispatch(.failed(.busy))
                }
            }
        case .cancel:
            next.isLoading = false
            dispatch.cancel(id: "sign-in")
        case .signedIn(let secret):
            return Reduced(State(), .enter(secret))
        case .failed(let mistake):
            next.isLoading = false
            next.mistake = mistake
        }
        return Reduced(next)
    }
}
