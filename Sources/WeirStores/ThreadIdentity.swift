#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Identifies a thread, so that a store recognises an action from inside its own reducer.
struct ThreadIdentity: Equatable, @unchecked Sendable {
    private let thread = pthread_self()

    static func == (left: ThreadIdentity, right: ThreadIdentity) -> Bool {
        pthread_equal(left.thread, right.thread) != 0
    }
}
