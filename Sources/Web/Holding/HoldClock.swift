/// The time that waiting is measured in, and a way to be called at a later one.
protocol HoldClock: Sendable {
    /// Milliseconds of a clock that never jumps.
    var uptime: Int64 { get }
    /// Milliseconds since 1 January 1970, UTC; may jump.
    var wall: Int64 { get }
    /// Calls back once, at that uptime or soon after, on no thread in particular; at once if it has passed, but never
    /// before this call returns.
    func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void)
}
