public import WeirStates

/// Prints lines into the output of one run.
///
/// ```swift
/// await output.write("Copying \(name)")                       // waits when the journal cannot follow
/// process.onOutput { text in output.offer(text) }             // never waits: what is too much is left out, and told
/// ```
/// A text may have several lines; they end with LF or CR LF, and a line end at the text's end begins no further line.
/// Everything else is kept as it is, escape sequences too: pages colour what they know of them and drop the rest.
public struct OutputWriter: Sendable {
    private let sink: (any OutputSink)?

    /// Makes a writer whose lines go to a sink.
    package init(to sink: any OutputSink) { self.sink = sink }

    private init() { sink = nil }

    /// A writer whose lines go nowhere.
    package static let discarding = OutputWriter()

    /// Prints a text.
    ///
    /// Suspends while more lines wait to be recorded than may, so that a work which prints faster than its output can be
    /// written down goes as fast as that. Prints nothing any more once the run has ended or the task is cancelled.
    public func write(_ text: String, to channel: OutputChannel = .standardOutput) async {
        guard let sink else { return }
        for line in Self.lines(of: text) { await sink.write(line, to: channel) }
    }

    /// Prints a text as far as there is room for it, without ever waiting: for callbacks.
    ///
    /// Lines that find no room are left out; the output says how many, in their place.
    /// - Returns: Whether all of it was taken.
    @discardableResult
    public func offer(_ text: String, to channel: OutputChannel = .standardOutput) -> Bool {
        guard let sink else { return true }
        return Self.lines(of: text).reduce(true) { sink.offer($1, to: channel) && $0 }
    }

    /// The lines of a text, without their ends.
    private static func lines(of text: String) -> [String] {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        guard text.utf8.contains(feed) else { return [text] }
        var lines = text.utf8.split(separator: feed, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { line in
            String(Substring(line.last == carriage ? line.dropLast() : line))
        }
    }
}
