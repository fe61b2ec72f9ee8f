import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// How many rows of a timeline are shown, the newest.
    static var timelineRows: Int { 40 }

    /// The states a run passed through, to scale, for `partials/timeline`; the units of its lanes are milliseconds.
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

    /// How many milliseconds the lanes of a run's timeline have room for.
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

    /// The active cases of an operation in their order, with how long each took; nil if there are not two.
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
