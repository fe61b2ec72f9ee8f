import WeirJournals
import WeirStates

/// The lines that a run has printed and that are not recorded yet.
///
/// A pure state machine with a limited capacity. Lines that are not kept, because of an ``OutputOmission``, are counted. A notice with
/// the count is inserted before the next accepted line, or at the end. Notices are always kept.
struct OutputQueue: Sendable {
    private let lineLimit: Int
    private let byteLimit: Int
    /// The maximum size of the whole output.
    private let maximum: ByteCount
    private var lines = RingBuffer<OutputDraft>()
    private var bytes = 0
    /// The size of the lines that were accepted.
    private var size: Int64 = 0
    private var isComplete = false
    private var omitted: (reason: OutputOmission, lines: Int)?
    private(set) var isClosed = false

    init(lineLimit: Int, byteLimit: Int, maximum: ByteCount) {
        self.maximum = maximum
        self.lineLimit = lineLimit
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { lines.isEmpty }

    var count: Int { lines.count }

    /// Whether there is room for a line.
    ///
    /// A line larger than the byte limit is accepted if the queue is empty.
    var hasRoom: Bool { lines.count < lineLimit && bytes < byteLimit }

    /// Appends a line, split into several if it is too long, or counts it if it is not kept; the caller checks ``hasRoom``.
    ///
    /// - Returns: Whether the line is kept.
    @discardableResult
    mutating func append(
        _ line: String, to channel: OutputChannel, at now: Timestamp, continues: Bool = false, hasSpace: Bool = true
    ) -> Bool {
        guard !isClosed else { return false }
        if channel != .notice {
            isComplete = isComplete || size + Int64(line.utf8.count) > maximum.bytes
            if let reason: OutputOmission = isComplete ? .size(maximum) : hasSpace ? nil : .space {
                omit(reason, at: now)
                return false
            }
            size += Int64(line.utf8.count)
            tell(at: now)
        }
        let drafts = OutputDraft.pieces(of: line, at: now, channel: channel, continues: continues)
        for draft in drafts { append(draft) }
        return true
    }

    /// Counts a line that is not kept.
    mutating func omit(_ reason: OutputOmission, at now: Timestamp) {
        guard !isClosed else { return }
        if omitted?.reason != reason {
            tell(at: now)
            if let text = reason.announcement { append(OutputDraft(at: now, channel: .notice, text: text)) }
        }
        omitted = (reason, (omitted?.lines ?? 0) + 1)
    }

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
        guard let (reason, lines) = omitted else { return }
        omitted = nil
        append(OutputDraft(at: now, channel: .notice, text: reason.count(lines)))
    }

    private mutating func append(_ draft: OutputDraft) {
        lines.append(draft)
        bytes += draft.text.utf8.count
    }
}
