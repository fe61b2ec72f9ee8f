/// Something that is told each state of a store, as in the text's Kotlin.
public protocol StoreObserver<State>: AnyObject, Sendable {
    /// What it is told.
    associatedtype State: Sendable
    /// A state was committed. Called on the thread that reduces, one state after the other; actions may be dispatched.
    func stateChanged(to state: State)
}
