import WeirJournals
import WeirStates

/// The lines that a run has printed and that are not recorded yet.
///
/// A pure state machine with a limited capacity. Lines that were offered without waiting and found no room are dropped
/// and counted. A notice with the count is inserted before the next accepted line, or at the end.
struct OutputQueue: Sendable {
    private let lineLimit: Int
    private let byteLimit: Int
    private var lines = RingBuffer<OutputDraft>()
    private var bytes = 0
    private var leftOut = 0
    private(set) var isClosed = false

    init(lineLimit: Int, byteLimit: Int) {
        self.lineLimit = lineLimit
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { lines.isEmpty }

    var count: Int { lines.count }

    /// Whether there is room for a line.
    ///
    /// A line larger than the byte limit is accepted if the queue is empty.
    var hasRoom: Bool { lines.count < lineLimit && bytes < byteLimit }

    /// Appends a line, split into several if it is too long; the caller checks ``hasRoom``.
    mutating func append(_ line: String, to channel: OutputChannel, at now: Timestamp, continues: Bool = false) {
        guard !isClosed else { return }
        tell(at: now)
        let drafts = OutputDraft.pieces(of: line, at: now, channel: channel, continues: continues)
        for draft in drafts { append(draft) }
    }

    mutating func leaveOut() { if !isClosed { leftOut += 1 } }

    mutating func close(at now: Timestamp) {
        guard !isClosed else { return }
        tell(at: now)
        isClosed = true
    }

    /// Drops all pending lines, and stops accepting lines.
    mutating func abandon() {
        lines = RingBuffer()
        bytes = 0
        isClosed = true
    }

    /// The next lines, up to a limit; they stay in the queue until they are confirmed.
    func next(_ limit: Int) -> [OutputDraft] {
        (lines.start..<lines.start + min(limit, lines.count)).compactMap { lines[$0] }
    }

    /// Removes the first `count` lines, which are recorded.
    mutating func confirm(_ count: Int) {
        for _ in 0..<count { bytes -= lines.removeFirst()?.text.utf8.count ?? 0 }
    }

    private mutating func tell(at now: Timestamp) {
        guard leftOut > 0 else { return }
        let words = leftOut == 1 ? "1 line was" : "\(Self.grouped(leftOut)) lines were"
        leftOut = 0
        append(
            OutputDraft(
                at: now, channel: .notice,
                text: "… \(words) not kept: lines were printed faster than they could be recorded."
            ))
    }

    private mutating func append(_ draft: OutputDraft) {
        lines.append(draft)
        bytes += draft.text.utf8.count
    }

    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return String(
            digits.enumerated().flatMap { index, digit in
                index > 0 && (digits.count - index) % 3 == 0 ? [",", digit] : [digit]
            })
    }
}
