import WeirJournals

/// The newest lines of the runs that print, within a bound of memory.
///
/// Pure.
///
/// A run that continues is always known here. Of the others the newest stay, as long as there is room: they are in the
/// journal, and come back with `remember` when somebody asks.
struct OutputTails: Sendable {
    private let byteLimit: Int
    private var tails: [String: OutputTail] = [:]
    private var sizes: [String: Int] = [:]
    private var bytes = 0
    private var closed: [String] = []

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    subscript(run: String) -> OutputTail? { tails[run] }

    /// The ids of the runs that print and have not ended.
    var open: [String] { tails.filter { !$0.value.isClosed }.map(\.key) }

    /// A run that prints has begun.
    mutating func open(_ run: String) {
        if tails[run] == nil { keep(OutputTail(head: 0, lines: [], isClosed: false), of: run) }
    }

    /// Lines were recorded, which follow the last one.
    mutating func add(_ lines: [OutputLine], to run: String) {
        guard let last = lines.last, let tail = tails[run], last.number > tail.head else { return }
        keep(OutputTail(head: last.number, lines: newest(tail.lines, lines), isClosed: tail.isClosed), of: run)
    }

    /// A run that printed has ended, and all its lines are recorded.
    mutating func close(_ run: String) {
        guard let tail = tails[run], !tail.isClosed else { return }
        keep(OutputTail(head: tail.head, lines: tail.lines, isClosed: true), of: run)
        closed.append(run)
    }

    /// Makes the output of an ended run known that was read from the journal.
    mutating func remember(_ tail: OutputTail, of run: String) {
        guard tails[run] == nil, tail.isClosed else { return }
        keep(OutputTail(head: tail.head, lines: newest([], tail.lines), isClosed: true), of: run)
        closed.append(run)
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

    /// The newest of the lines, of as many bytes as a run may have; the last one in any case.
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
    /// About how many bytes the line takes in memory.
    var size: Int { 64 + text.utf8.count }
}
