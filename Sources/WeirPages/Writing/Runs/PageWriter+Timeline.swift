import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    static var timelineRows: Int { 40 }

    /// The states of a run to scale, for `partials/timeline`; the unit of the lanes is a millisecond.
    func timeline(_ run: RunView) -> Fields {
        let shown = run.transitions.suffix(Self.timelineRows)
        let omitted = run.omittedTransitions + run.transitions.count - shown.count
        let rows = zip(shown, shown.dropFirst().map(Optional.some) + [nil]).map { state, next -> Fields in
            let isOpen = next == nil && run.record.endedAt == nil
            return [
                "rowID": "t\(state.revision)",
                "chip": chip(state, of: run.record), "lane": lane(state, next, isOpen: isOpen, of: run),
                "duration": next.map { format.duration($0.at - state.at) }, "since": isOpen ? moment(state.at) : nil,
                "at": moment(state.at), "isLast": next == nil,
            ]
        }
        return [
            "timelineID": "timeline", "rows": rows,
            "omitted": omitted > 0 ? format.integer(Int64(omitted)) : nil,
        ]
    }

    func timelineLength(_ run: RunView) -> Int64 {
        guard let first = run.transitions.suffix(Self.timelineRows).first else { return 0 }
        let elapsed = max(run.at - first.at, 0)
        return run.record.endedAt == nil ? TimeAxis.length(holding: elapsed) : elapsed
    }

    private func lane(_ state: Transition, _ next: Transition?, isOpen: Bool, of run: RunView) -> Fields {
        let length = timelineLength(run)
        let first = run.transitions.suffix(Self.timelineRows).first?.at ?? state.at
        let start = min(max(state.at - first, 0), length)
        return [
            "laneID": "t\(state.revision)-l", "isOpen": isOpen, "length": String(max(length, 1)),
            "tone": state.phase.tone, "x": String(start),
            "width": String(min(max((next?.at ?? run.at) - state.at, 0), length - start)),
        ]
    }

    /// The active cases of an operation in order, with their durations; nil if there are fewer than two.
    func steps(_ run: RunView) -> Fields? {
        let record = run.record
        var names: [String] = []
        for sample in catalog[record.operation]?.samples ?? [] where sample.phase == .active {
            if !names.contains(sample.caseName) { names.append(sample.caseName) }
        }
        var times: [String: Int64] = [:]
        for (state, next) in zip(run.transitions, run.transitions.dropFirst()) {
            times[state.caseName, default: 0] += next.at - state.at
        }
        let detours = catalog[record.operation]?.detours ?? []
        names.removeAll { detours.contains($0) && times[$0] == nil && $0 != record.state.caseName }
        guard names.count > 1 else { return nil }
        let current = run.transitions.last { $0.phase == .active }?.caseName
        let steps = names.enumerated().map { index, name -> Fields in
            let isCurrent = name == current && record.state.phase != .succeeded
            let tone = isCurrent ? record.state.phase.tone : times[name] == nil ? "idle" : "ok"
            let entered = run.transitions.last { $0.caseName == name }?.at
            let isNow = isCurrent && record.state.phase == .active
            return [
                "stepID": "step-\(index)", "label": label(of: name, in: record.operation), "tone": tone,
                "isNow": isNow,
                "duration": isNow ? nil : times[name].map(format.duration),
                "since": isNow ? entered.map(moment) : nil,
                "shape": (isCurrent ? record.state.phase : times[name] == nil ? .idle : .succeeded).shape,
            ]
        }
        return ["list": steps]
    }
}

extension PageWriter {
    /// The remaining time of a run as of the page's moment, for `partials/left`; nil if there is no reliable estimate.
    func left(_ run: RunView) -> Fields? {
        let record = run.record
        guard record.state.phase == .active, run.omittedTransitions == 0,
            let rest = record.opening.expected?.cases[record.state.caseName],
            let entered = run.transitions.first(where: { $0.caseName == record.state.caseName })?.at
        else { return nil }
        let earliest = entered.after(rest.shortest)
        let latest = entered.after(rest.longest)
        // A run without recent changes is shown as of the page's time, not of its last change.
        let now = max(record.changedAt, format.now ?? record.changedAt)
        return [
            "text": words(forRest: earliest - now, latest - now),
            "earliest": CivilTime(earliest).iso, "latest": CivilTime(latest).iso, "exact": format.exact(latest),
            "right": format.integer(Int64(rest.right)), "tried": format.integer(Int64(rest.tried)),
        ]
    }

    /// Whether a run takes longer than expected, for `partials/overdue`; nil without an estimate.
    ///
    /// The words are included only after the expected end; in an open page, the client adds them.
    func overdue(_ record: RunRecord) -> Fields? {
        guard record.endedAt == nil, let end = record.expectedEnd else { return nil }
        let now = max(record.changedAt, format.now ?? record.changedAt)
        return [
            "end": CivilTime(end).iso, "exact": format.exact(end), "words": now >= end ? strings[.leftOver] : nil,
        ]
    }

    /// The remaining time, such as "6–9 s left" or "up to 9 s left", or that the run takes longer than expected.
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
