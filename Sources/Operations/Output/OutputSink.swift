public import States

/// Where the lines go that a run prints, one at a time.
public protocol OutputSink: Sendable {
    /// Takes a line in.
    ///
    /// Suspends while as many wait as may. Returns without taking it when the run has ended, or the calling task is
    /// cancelled while it waits.
    func write(_ line: String, to channel: OutputChannel) async

    /// Takes a line in if there is room for it at this moment.
    ///
    /// Returns at once. What is not taken is counted, and told in the output where it is missing.
    /// - Returns: Whether it was taken.
    func offer(_ line: String, to channel: OutputChannel) -> Bool
}
