public import WeirFlows
public import WeirStates

/// An operation that prints lines of output in addition to its states.
///
/// Implement only ``perform(_:state:output:)``. Output is discarded if the run was started without a sink.
public protocol OutputOperation<Input, State>: StateOperation {
    /// The input of a run.
    associatedtype Input
    /// The states of a run.
    associatedtype State
    /// Performs one run, sets each state in `state.value`, and prints lines to `output`.
    ///
    /// Follows the rules of ``StateOperation/perform(_:state:)``. Output printed after the run has ended or been cancelled is
    /// discarded.
    func perform(_ input: Input, state: MutableStateFlow<State>, output: OutputWriter) async throws
}

extension OutputOperation {
    /// Performs the work and discards the output.
    public func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        try await perform(input, state: state, output: .discarding)
    }
}

/// Receives the lines printed by a run, one at a time.
public protocol OutputSink: Sendable {
    /// Writes a line.
    ///
    /// Suspends while the buffer is full. Returns without writing if the run has ended or the calling task is cancelled.
    func write(_ line: String, to channel: OutputChannel) async

    /// Writes a line unless the buffer is full, and returns immediately.
    ///
    /// Dropped lines are counted, and the output reports their number.
    ///
    /// - Returns: Whether the line was accepted.
    func offer(_ line: String, to channel: OutputChannel) -> Bool
}

/// A sink that takes a long line in pieces.
package protocol PieceSink: OutputSink {
    /// Writes a piece of a line, which continues in the next piece of the channel, or ends with this one.
    ///
    /// - Returns: The number of the line in the output, or nil if the line is not kept or its number is not known yet.
    @discardableResult
    func write(_ piece: String, to channel: OutputChannel, continues: Bool) async -> Int64?

    /// Shows the text of a line that has not ended, until the next call or the next line of the channel; it is not recorded.
    func show(unfinished text: String, on channel: OutputChannel)
}

/// Prints lines into the output of a run.
///
/// ```swift
/// await output.write("Copying \(name)")                       // suspends while the journal is behind
/// process.onOutput { text in output.offer(text) }             // never suspends: drops and counts excess lines
/// ```
/// Lines end with LF or CR LF; a line end at the end of a text starts no further line. All other characters are kept, including
/// escape sequences, which pages render or drop.
public struct OutputWriter: Sendable {
    private let sink: (any OutputSink)?

    init(to sink: any OutputSink) { self.sink = sink }

    private init() { sink = nil }

    package static let discarding = OutputWriter()

    /// Prints a text.
    ///
    /// Suspends while the buffer is full, so that the work runs no faster than its output can be recorded. Does nothing once
    /// the run has ended or the task is cancelled.
    public func write(_ text: String, to channel: OutputChannel = .standardOutput) async {
        guard let sink else { return }
        for line in Self.lines(of: text) { await sink.write(line, to: channel) }
    }

    /// Prints a piece of a line, and returns its number if the sink knows it; where the sink takes no pieces, it is a line.
    @discardableResult
    package func write(_ piece: String, to channel: OutputChannel, continues: Bool) async -> Int64? {
        if let sink = sink as? any PieceSink { return await sink.write(piece, to: channel, continues: continues) }
        await sink?.write(piece, to: channel)
        return nil
    }

    /// Shows the text of a line that has not ended, if the sink can.
    package func show(unfinished text: String, on channel: OutputChannel) {
        (sink as? any PieceSink)?.show(unfinished: text, on: channel)
    }

    /// Prints as much of a text as the buffer holds, without suspending.
    ///
    /// For callbacks.
    ///
    /// Dropped lines are counted, and the output reports their number in their place.
    ///
    /// - Returns: Whether all lines were accepted.
    @discardableResult
    public func offer(_ text: String, to channel: OutputChannel = .standardOutput) -> Bool {
        guard let sink else { return true }
        return Self.lines(of: text).reduce(true) { sink.offer($1, to: channel) && $0 }
    }

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
