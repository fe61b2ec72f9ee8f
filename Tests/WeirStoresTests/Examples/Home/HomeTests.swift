import Testing
import WeirBoards
import WeirStates
import WeirStores
import WeirTesting

@Suite(.timeLimit(.minutes(15))) struct HomeTests {
    private struct NoNetwork: ExplainedError {
        let description = "No network."
    }

    private func store(_ items: [String]? = nil, in state: HomeReducer.State = .empty) -> TestStore<HomeReducer> {
        TestStore(
            HomeReducer {
                guard let items else { throw NoNetwork() }
                return items
            }, state: state)
    }

    @Test func `what is loaded is shown`() async {
        let store = store(["Milk", "Bread"])
        store.send(.refresh) { $0 = .loading(items: []) }
        await store.receive(.loaded(items: ["Milk", "Bread"])) { $0 = .showing(items: ["Milk", "Bread"]) }
        await store.settle()
        store.finish()
    }

    @Test func `a failure is a state while there is nothing to show, and a toast once there is`() async {
        let first = store()
        first.send(.refresh) { $0 = .loading(items: []) }
        await first.receive(.failed(message: "No network.")) { $0 = .failed(message: "No network.") }
        await first.settle()
        first.finish()

        let second = store(in: .showing(items: ["Milk"]))
        second.send(.refresh) { $0 = .loading(items: ["Milk"]) }
        await second.receive(.failed(message: "No network.")) { $0 = .showing(items: ["Milk"]) }
        second.receiveEffect(.toast("No network."))
        await second.settle()
        second.finish()
    }

    @Test func `an item is removed once, however often it is asked for`() {
        let store = store(in: .showing(items: ["Milk", "Bread"]))
        store.send(.remove(item: "Milk")) { $0 = .showing(items: ["Bread"]) }
        store.receiveEffect(.toast("Milk is removed."))
        store.finish()
    }

    @Test func `who logs out while it loads is not brought back by the answer`() async {
        let clock = VirtualClock()
        let store = TestStore(
            HomeReducer {
                try await clock.sleep(for: .seconds(1))
                return ["Milk"]
            })
        store.send(.refresh) { $0 = .loading(items: []) }
        _ = await clock.sleepers.first { $0 == 1 }
        store.send(.logOut) { $0 = .empty }
        store.receiveEffect(.showLogin)
        clock.advance(by: .seconds(1))
        await store.settle()
        store.finish()
    }

    @Test func `what it says of itself to the dashboard agrees`() throws {
        var catalog = Catalog()
        catalog.add(
            store: HomeReducer { ["Milk", "Bread"] }, id: "home", title: "Home", summary: "What there is to buy.")
        #expect(try #require(catalog.store("home")).problems == [])
    }
}
