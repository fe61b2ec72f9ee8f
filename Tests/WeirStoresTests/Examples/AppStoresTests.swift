import Testing
import WeirFlows
import WeirStores
import WeirTesting

@Suite(.timeLimit(.minutes(15))) struct AppStoresTests {
    private let stores = AppStores(accounts: AccountsOfATest(clock: VirtualClock())) { ["Milk"] }

    @Test func `an observer hears of every state, until it is removed`() async {
        let log = StateLog<HomeReducer.State>()
        stores.home.addObserver(log)
        await stores.home.dispatch(.refresh).settled()
        stores.home.removeObserver(log)
        stores.home.dispatch(.logOut)
        #expect(log.states == [.empty, .loading(items: []), .showing(items: ["Milk"])])
    }

    @Test func `a state put in from outside runs no effect`() {
        stores.home.rehydrate(.showing(items: ["Bread"]))
        #expect(stores.home.currentState == .showing(items: ["Bread"]))
        #expect(stores.home.effectMailbox.next() == nil)
    }

    @Test func `of two who listen for effects, one makes it happen`() {
        stores.home.dispatch(.logOut)
        #expect(stores.home.effectMailbox.next() == .showLogin)
        #expect(stores.home.effectMailbox.next() == nil)
    }

    @Test @MainActor func `a screen's model follows its store`() async {
        let model = ScreenModel(stores.login)
        model.dispatch(.nameChanged("Ana"))
        for _ in 0..<100_000 where model.state.name != "Ana" { await Task.yield() }
        #expect(model.state.name == "Ana")
    }
}
