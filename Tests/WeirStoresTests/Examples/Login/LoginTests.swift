import Foundation
import Testing
import WeirFlows
import WeirStores
import WeirTesting

@Suite(.timeLimit(.minutes(15))) struct LoginTests {
    private let clock = VirtualClock()

    private func reducer() -> LoginReducer { LoginReducer(accounts: AccountsOfATest(clock: clock)) }

    @Test func `whoever logs in with the right password comes home`() async {
        let store = TestStore(LoginReducer(accounts: AccountsOfATest(clock: clock)))
        store.send(.nameChanged("Ana")) { $0.name = "Ana" }
        store.send(.logIn(password: "secret")) { $0.isLoading = true }
        await untilSomebodySleeps()
        clock.advance(by: .seconds(1))
        await store.receive(.loggedIn(user: "Ana")) { $0 = LoginReducer.State() }
        store.receiveEffect(.showHome(user: "Ana"))
        await store.settle()
        store.finish()
    }

    @Test func `a wrong password is a state that says so, and nobody goes anywhere`() async {
        let store = TestStore(reducer(), state: LoginReducer.State(name: "Ana"))
        store.send(.logIn(password: "guess")) { $0.isLoading = true }
        await untilSomebodySleeps()
        clock.advance(by: .seconds(1))
        await store.receive(.failed(message: "That is not the password.")) {
            $0.isLoading = false
            $0.error = "That is not the password."
        }
        await store.settle()
        store.finish()
    }

    @Test func `who cancels is not logged in by an answer that comes later`() async {
        let store = TestStore(reducer(), state: LoginReducer.State(name: "Ana"))
        store.send(.logIn(password: "secret")) { $0.isLoading = true }
        await untilSomebodySleeps()
        store.send(.cancel) { $0.isLoading = false }
        clock.advance(by: .seconds(1))
        await store.settle()
        store.finish()
    }

    @Test func `awaiting what a dispatch set going is the suspending dispatch of the text`() async {
        let store = Store(LoginReducer(accounts: AccountsOfATest(clock: clock)))
        store.dispatch(.nameChanged("Ana"))
        let receipt = store.dispatch(.logIn(password: "secret"))
        await untilSomebodySleeps()
        clock.advance(by: .seconds(1))
        await receipt.settled()
        #expect(store.currentState == LoginReducer.State())
        #expect(store.effectMailbox.next() == .showHome(user: "Ana"))
        #expect(store.effectMailbox.next() == nil)
    }

    @Test func `what was typed comes back after the process ended`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let first = Store(reducer())
        let saving = first.keep(in: SavedStateFile(file)) { Issue.record("\($0)") }
        first.dispatch(.nameChanged("Ana"))
        saving.cancel()
        let second = Store(reducer())
        let restored = second.keep(in: SavedStateFile(file)) { Issue.record("\($0)") }
        #expect(second.currentState.name == "Ana")
        second.reset()
        #expect(second.currentState == LoginReducer.State())
        restored.cancel()
    }

    private func untilSomebodySleeps() async { _ = await clock.sleepers.first { $0 == 1 } }
}
