import WeirJournals
import WeirStates

/// What a run has printed and nobody has recorded yet.
///
/// Pure.
///
/// It takes lines in as long as it has room. Lines that came without waiting and found none are counted; a line that says
/// how many takes their place, in front of the next one that is taken in, or at the end.
struct OutputQueue: Sendable {
    private let lineLimit: Int
    private let byteLimit: Int
    private var lines = RingBuffer<OutputDraft>()
    private var bytes = 0
    private var leftOut = 0
    /// Whether nothing comes any more.
    private(set) var isClosed = false

    init(lineLimit: Int, byteLimit: Int) {
        self.lineLimit = lineLimit
        self.byteLimit = byteLimit
    }

    var isEmpty: Bool { lines.isEmpty }

    /// How many lines wait.
    var count: Int { lines.count }

    /// Whether there is room for a line.
    ///
    /// One that is longer than all the room there is goes in when nothing else waits.
    var hasRoom: Bool { lines.count < lineLimit && bytes < byteLimit }

    /// Takes a line in that there is room for; a line that is too long becomes several.
    mutating func append(_ line: String, to channel: OutputChannel, at now: Timestamp) {
        guard !isClosed else { return }
        tell(at: now)
        for draft in OutputDraft.pieces(of: line, at: now, channel: channel) { append(draft) }
    }

    /// Counts a line that found no room.
    mutating func leaveOut() { if !isClosed { leftOut += 1 } }

    /// Takes nothing in any more.
    mutating func close(at now: Timestamp) {
        guard !isClosed else { return }
        tell(at: now)
        isClosed = true
    }

    /// Forgets what waits, and takes nothing in any more.
    mutating func abandon() {
        lines = RingBuffer()
        bytes = 0
        isClosed = true
    }

    /// The next lines, up to a limit; they stay until they are confirmed as recorded.
    func next(_ limit: Int) -> [OutputDraft] {
        (lines.start..<lines.start + min(limit, lines.count)).compactMap { lines[$0] }
    }

    /// Confirms that the first `count` lines are recorded, and removes them.
    mutating func confirm(_ count: Int) {
        for _ in 0..<count { bytes -= lines.removeFirst()?.text.utf8.count ?? 0 }
    }

    /// Says in the output what is missing in it.
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
