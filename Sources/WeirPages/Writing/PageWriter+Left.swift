import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// How long a run may still take, as of the page's moment, for `partials/left`; nil if nothing honest can be said.
    func left(_ run: RunView) -> Fields? {
        let record = run.record
        guard record.state.phase == .active, run.omittedTransitions == 0,
            let rest = record.opening.expected?.cases[record.state.caseName],
            let entered = run.transitions.first(where: { $0.caseName == record.state.caseName })?.at
        else { return nil }
        let earliest = entered.after(rest.shortest)
        let latest = entered.after(rest.longest)
        // A run that reports nothing for long is told of as of the page, not as of its last change.
        let now = max(record.changedAt, format.now ?? record.changedAt)
        return [
            "text": words(forRest: earliest - now, latest - now),
            "earliest": CivilTime(earliest).iso, "latest": CivilTime(latest).iso, "exact": format.exact(latest),
            "right": format.integer(Int64(rest.right)), "tried": format.integer(Int64(rest.tried)),
        ]
    }

    /// That a run takes longer than it should, for `partials/overdue`; nil for one without an estimate.
    ///
    /// The words stand in it only once the time is over: on the page of that moment, and in a page that is open by itself.
    func overdue(_ record: RunRecord) -> Fields? {
        guard record.endedAt == nil, let end = record.expectedEnd else { return nil }
        let now = max(record.changedAt, format.now ?? record.changedAt)
        return [
            "end": CivilTime(end).iso, "exact": format.exact(end), "words": now >= end ? strings[.leftOver] : nil,
        ]
    }

    /// "6–9 s left", "up to 9 s left", or that it takes longer than it should.
    private func words(forRest shortest: Int64, _ longest: Int64) -> String {
        guard longest > 0 else { return strings[.leftOver] }
        let (size, unit): (Int64, String) =
            longest <= 99_000 ? (1_000, "s") : longest <= 5_940_000 ? (60_000, "min") : (3_600_000, "h")
        let low = max(0, shortest) / size
        let high = (longest + size - 1) / size
        if low == 0 { return strings(.leftUpTo, ["time": "\(high)\u{A0}\(unit)"]) }
        return strings(.leftRange, ["time": "\(low)\u{2013}\(high)\u{A0}\(unit)"])
    }
}
