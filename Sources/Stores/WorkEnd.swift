/// Tells that a piece of work is over: when its body returned, and also when the body was let go without ever running.
final class WorkEnd: Sendable {
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    deinit {
        tell()
    }
}
