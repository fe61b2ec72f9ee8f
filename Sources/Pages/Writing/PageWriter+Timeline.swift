import Boards
import Journals
import States

extension PageWriter {
    /// How many rows of a timeline are shown, the newest.
    static var timelineRows: Int { 40 }
    /// The part of a timeline that the current state of a run takes, whose end nobody knows, in thousandths.
    private static var openPart: Int64 { 140 }

    /// The states a run passed through, to scale, for `partials/timeline`.
    func timeline(_ run: RunView) -> Fields {
        let shown = run.transitions.suffix(Self.timelineRows)
        let omitted = run.omittedTransitions + run.transitions.count - shown.count
        guard let first = shown.first, let last = shown.last else { return ["rows": [Fields]()] }
        let isOpen = run.record.endedAt == nil
        let whole = max(last.at - first.at, 0)
        let room = !isOpen ? 1_000 : whole == 0 ? 0 : 1_000 - Self.openPart
        func place(_ moment: Timestamp) -> Int64 {
            whole == 0 ? (isOpen ? 0 : 1_000) : (moment - first.at) * room / whole
        }
        let rows = zip(shown, shown.dropFirst().map(Optional.some) + [nil]).map { state, next -> Fields in
            let start = next == nil && !isOpen ? 992 : min(place(state.at), 992)
            let end = next.map { place($0.at) } ?? 1_000
            return [
                "rowID": "run-\(run.record.id)-t\(state.revision)",
                "chip": chip(state.caseName, state.phase, in: run.record.operation),
                "x": String(start), "width": String(max(end - start, 8)),
                "duration": next.map { format.duration($0.at - state.at) },
                "since": next == nil && isOpen ? moment(state.at) : nil,
                "at": moment(state.at), "isLast": next == nil,
            ]
        }
        return ["rows": rows, "omitted": omitted > 0 ? format.integer(Int64(omitted)) : nil]
    }

    /// The active cases of an operation in their order, with how long each took; nil where there are not two.
    func steps(_ run: RunView) -> Fields? {
        let record = run.record
        var names: [String] = []
        for sample in catalog[record.operation]?.samples ?? [] where sample.phase == .active {
            if !names.contains(sample.caseName) { names.append(sample.caseName) }
        }
        guard names.count > 1 else { return nil }
        var times: [String: Int64] = [:]
        for (state, next) in zip(run.transitions, run.transitions.dropFirst()) {
            times[state.caseName, default: 0] += next.at - state.at
        }
        let current = run.transitions.last { $0.phase == .active }?.caseName
        let steps = names.map { name -> Fields in
            let isCurrent = name == current && record.state.phase != .succeeded
            let tone = isCurrent ? record.state.phase.tone : times[name] == nil ? "idle" : "ok"
            let entered = run.transitions.last { $0.caseName == name }?.at
            let isNow = isCurrent && record.state.phase == .active
            return [
                "label": label(of: name, in: record.operation), "tone": tone, "isNow": isNow,
                "duration": isNow ? nil : times[name].map(format.duration),
                "since": isNow ? entered.map(moment) : nil,
                "shape": (isCurrent ? record.state.phase : times[name] == nil ? .idle : .succeeded).shape,
            ]
        }
        return ["list": steps]
    }

}
