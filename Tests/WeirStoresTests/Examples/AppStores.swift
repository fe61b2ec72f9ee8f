import WeirStores

/// The stores of an app, made once and passed to whoever needs them.
struct AppStores {
    let login: Store<LoginReducer>
    let home: Store<HomeReducer>

    init(accounts: any Accounts, load: @escaping @Sendable () async throws -> [String]) {
        login = Store(LoginReducer(accounts: accounts))
        home = Store(HomeReducer(load: load))
    }
}
