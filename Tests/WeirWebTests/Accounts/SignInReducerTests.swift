import Testing
@testable import WeirAccess
import WeirPages
import WeirStores

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct SignInReducerTests {
    private let secret = SecretText(.session, bytes: Array(0..<32))

    private func store(_ outcome: SignInOutcome) -> Store<SignInReducer> {
        Store(SignInReducer { _, _ in outcome })
    }

    @Test func `the right password is an effect, which happens once, and leaves nothing behind`() async {
        let store = store(.signedIn(secret, Principal(.person, name: "ana")))
        store.dispatch(.nameChanged("ana"))
        await store.dispatch(.signIn(password: "x")).settled()
        #expect(store.currentState == SignInReducer.State())
        guard case .enter(let entered, let name)? = store.effectMailbox.next() else {
            Issue.record("nobody entered")
            return
        }
        #expect(name == "ana")
        #expect(entered.text == secret.text)
        #expect(store.effectMailbox.next() == nil)
    }

    @Test func `what is wrong is a state that keeps the name, and nobody enters`() async {
        for (outcome, mistake) in [
            (.wrong, .wrong), (.busy, .busy), (.throttled(1_500), .tooMany(2)), (.throttled(1), .tooMany(1)),
        ] as [(SignInOutcome, SignInForm.Mistake)] {
            let store = store(outcome)
            store.dispatch(.nameChanged("ana"))
            await store.dispatch(.signIn(password: "x")).settled()
            #expect(store.currentState == SignInReducer.State(name: "ana", mistake: mistake))
            #expect(store.effectMailbox.next() == nil)
        }
    }

    @Test func `another attempt forgets what was wrong with the one before`() async {
        let store = store(.wrong)
        await store.dispatch(.signIn(password: "x")).settled()
        store.dispatch(.nameChanged("bob"))
        #expect(store.currentState.mistake == nil)
    }
}
