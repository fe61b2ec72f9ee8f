public import WeirStates

/// Reports how the work of a `SimpleOperation` goes: its progress, a note, and lines of output.
///
/// May be called from any thread, and from several tasks at a time. After the run has ended or been cancelled, reports
/// change nothing.
public struct RunReporter: Sendable {
    /// Prints lines; for callbacks, which cannot wait, there is `output.offer`.
    public let output: OutputWriter
    private let change: @Sendable (_ note: String??, _ progress: WorkProgress?) -> Void

    init(output: OutputWriter, change: @escaping @Sendable (_ note: String??, _ progress: WorkProgress?) -> Void) {
        self.output = output
        self.change = change
    }

    /// Reports how far the work has come, and what it does.
    ///
    /// - Parameters:
    ///   - completed: How many units are done.
    ///   - total: How many there are; nil while nobody knows.
    ///   - unit: What one unit is.
    ///   - note: What the work does now; nil to leave the note as it is.
    public func progress<Count: BinaryInteger>(
        _ completed: Count, of total: Count? = nil, unit: WorkProgress.Unit = .items, note: String? = nil
    ) {
        let progress = WorkProgress(completed, of: total, unit: unit)
        change(note.map { .some($0) }, progress)
    }

    /// Reports what the work does now, in a few words; nil takes the note away.
    ///
    /// The progress stays as it is.
    public func note(_ text: String?) { change(.some(text), nil) }

    /// Prints a text of one or several lines.
    ///
    /// Suspends while more lines wait to be recorded than may.
    public func print(_ text: String, to channel: OutputChannel = .standardOutput) async {
        await output.write(text, to: channel)
    }
}
