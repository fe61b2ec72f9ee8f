package import WeirStates

/// The lines of a run's output that have not ended, such as prompts and progress bars: shown live, and not recorded.
package struct UnfinishedLines: Sendable, Hashable {
    /// Increases with each change in one process; another process begins again.
    package let revision: Int64
    /// The text of each channel that has one.
    fileprivate let texts: [OutputChannel: String]

    package init(revision: Int64 = 0, texts: [OutputChannel: String] = [:]) {
        self.revision = revision
        self.texts = texts
    }

    package var lines: [(channel: OutputChannel, text: String)] {
        OutputChannel.allCases.compactMap { channel in texts[channel].map { (channel, $0) } }
    }
}

/// What a run's program prints without ending the line, and which part of it is published.
///
/// Pure. Changes are published at most once per interval, so that a line written in two parts is not shown twice.
struct UnfinishedOutput: Sendable {
    private var texts: [OutputChannel: String] = [:]
    private var shown = UnfinishedLines()
    private var isScheduled = false

    mutating func set(_ text: String, on channel: OutputChannel) { texts[channel] = text.isEmpty ? nil : text }

    /// Returns true if there is a change, and nothing is scheduled that publishes it.
    mutating func schedule() -> Bool {
        guard !isScheduled, texts != shown.texts else { return false }
        isScheduled = true
        return true
    }

    /// Returns the lines if they have changed; the scheduled caller otherwise ends, and another is scheduled for the next change.
    mutating func publish(scheduled: Bool = false) -> UnfinishedLines? {
        guard texts != shown.texts else {
            if scheduled { isScheduled = false }
            return nil
        }
        shown = UnfinishedLines(revision: shown.revision &+ 1, texts: texts)
        return shown
    }
}
