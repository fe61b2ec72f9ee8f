public import WeirStates

/// Receives the lines that a run prints, one at a time.
public protocol OutputSink: Sendable {
    /// Takes a line.
    ///
    /// Suspends while the maximum number of lines is waiting. Returns without taking it if the run has ended, or if the
    /// calling task is cancelled while it waits.
    func write(_ line: String, to channel: OutputChannel) async

    /// Takes a line if there is room for it.
    ///
    /// Returns at once. Lines that are not taken are counted, and the output says how many are missing.
    /// - Returns: Whether it was taken.
    func offer(_ line: String, to channel: OutputChannel) -> Bool
}
