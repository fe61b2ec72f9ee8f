package import WeirJournals

package struct OutputTail: Sendable {
    /// The maximum number of lines kept in memory and shown on a page per run.
    package static let lineLimit = 500
    static let byteLimit = 1_048_576
    static let batch = 50

    /// The number of the last line, or 0 without output.
    package let head: SequenceNumber
    /// The newest lines up to `head`, oldest first, without gaps: at most 500, fewer if they are long.
    package let lines: [OutputLine]
    /// Whether the run has ended and no line follows.
    package let isClosed: Bool
    /// What follows the last line and is not recorded yet.
    package let unfinished: UnfinishedLines

    package init(
        head: SequenceNumber, lines: [OutputLine], isClosed: Bool, unfinished: UnfinishedLines = UnfinishedLines()
    ) {
        self.head = head
        self.unfinished = unfinished
        self.lines = lines
        self.isClosed = isClosed
    }

    package var earlier: SequenceNumber { head.advanced(by: -lines.count) }

    /// The lines after a number, or nil if some of them are not in memory.
    package func lines(after number: SequenceNumber) -> ArraySlice<OutputLine>? {
        guard number >= earlier else { return nil }
        return lines.dropFirst(earlier.distance(to: min(number, head)))
    }
}

/// The newest output lines of runs, within a memory limit.
///
/// The tails of active runs are always kept. Those of ended runs are evicted, oldest first, when the limit is exceeded,
/// and added again with `remember`.
struct OutputTails: Sendable {
    private let byteLimit: Int
    private var tails: [String: OutputTail] = [:]
    private var sizes: [String: Int] = [:]
    private var bytes = 0
    private var closed: [String] = []

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    subscript(run: String) -> OutputTail? { tails[run] }

    var open: [String] { tails.filter { !$0.value.isClosed }.map(\.key) }

    mutating func open(_ run: String) {
        if tails[run] == nil { keep(OutputTail(head: 0, lines: [], isClosed: false), of: run) }
    }

    /// Adds recorded lines, and what follows them.
    ///
    /// Lines that it has are skipped; if lines are missing before them, the earlier ones are dropped.
    mutating func add(_ lines: [OutputLine], _ unfinished: UnfinishedLines? = nil, to run: String) {
        show(unfinished, of: run)
        guard let tail = tails[run] else { return }
        let rest = Array(lines.drop { $0.number <= tail.head })
        guard let first = rest.first, let last = rest.last else { return }
        let old = first.number == tail.head.next ? tail.lines : []
        keep(
            OutputTail(
                head: last.number, lines: newest(old, rest), isClosed: tail.isClosed, unfinished: tail.unfinished),
            of: run)
    }

    /// Shows unfinished lines, unless newer ones are shown or the output has ended; returns whether they are shown.
    @discardableResult
    mutating func show(_ unfinished: UnfinishedLines?, of run: String) -> Bool {
        guard let unfinished, let tail = tails[run], !tail.isClosed, unfinished.revision > tail.unfinished.revision
        else { return false }
        tails[run] = OutputTail(head: tail.head, lines: tail.lines, isClosed: false, unfinished: unfinished)
        return true
    }

    mutating func close(_ run: String) {
        guard let tail = tails[run], !tail.isClosed else { return }
        keep(OutputTail(head: tail.head, lines: tail.lines, isClosed: true), of: run)
        closed.append(run)
    }

    mutating func remember(_ tail: OutputTail, of run: String) {
        guard tails[run] == nil, tail.isClosed else { return }
        keep(OutputTail(head: tail.head, lines: newest([], tail.lines), isClosed: true), of: run)
        closed.append(run)
    }

    mutating func remove(_ run: String) {
        guard tails.removeValue(forKey: run) != nil else { return }
        bytes -= sizes.removeValue(forKey: run) ?? 0
        closed.removeAll { $0 == run }
    }

    private mutating func keep(_ tail: OutputTail, of run: String) {
        tails[run] = tail
        let size = tail.lines.reduce(128) { $0 + $1.size }
        bytes += size - (sizes.updateValue(size, forKey: run) ?? 0)
        while bytes > byteLimit || closed.count > 1_000, let oldest = closed.first {
            closed.removeFirst()
            tails[oldest] = nil
            bytes -= sizes.removeValue(forKey: oldest) ?? 0
        }
    }

    /// The newest lines within the limits of one run, but at least one.
    private func newest(_ old: [OutputLine], _ new: [OutputLine]) -> [OutputLine] {
        let share = max(16_384, min(OutputTail.byteLimit, byteLimit / max(1, tails.count)))
        var size = 0
        var kept: [OutputLine] = []
        for line in [old, new].joined().reversed() {
            size += line.size
            guard kept.isEmpty || kept.count < OutputTail.lineLimit && size <= share else { break }
            kept.append(line)
        }
        return kept.reversed()
    }
}

extension OutputLine {
    var size: Int { 64 + text.utf8.count }
}
