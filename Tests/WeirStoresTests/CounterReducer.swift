import WeirStores

/// A small reducer for tests: counts, posts effects, starts and cancels work.
struct CounterReducer: Reducer {
    struct State: Equatable, Codable, Sendable {
        var count = 0
        var isLoading = false
    }

    enum Action: Equatable, Sendable {
        case add(Int)
        case say(String)
        case load(Int)
        case loaded(Int)
        case startAndCancel
        case stop
        case nest
    }

    /// What `load` does; the number it is given and what it tells back.
    var work: @Sendable (Int) async -> Int = { $0 }
    /// Called with each receipt that a nested dispatch gets.
    var onNested: @Sendable (DispatchReceipt) -> Void = { _ in }

    var initialState: State { State() }

    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, String> {
        var state = state
        switch action {
        case .add(let number): state.count += number
        case .say(let words): return Reduced(state, words)
        case .load(let number):
            state.isLoading = true
            dispatch.run(id: "load", cancelInFlight: true) { [work] dispatch in
                dispatch(.loaded(await work(number)))
            }
        case .loaded(let number): state = State(count: number)
        case .startAndCancel:
            dispatch.run(id: "doomed") { dispatch in dispatch(.add(1_000)) }
            dispatch.cancel(id: "doomed")
        case .stop:
            state.isLoading = false
            dispatch.cancel(id: "load")
        case .nest: onNested(dispatch(.add(1)))
        }
        return Reduced(state)
    }
}
