import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The ends of an operation's latest runs, oldest first, for `partials/outcomes`: a low bar is a success, a high one a
    /// failure and a middle one a stop.
    func outcomes(_ view: OperationView) -> Fields? {
        let ended = view.recent.map(\.record).filter { $0.endedAt != nil && $0.origin == nil }
        guard !ended.isEmpty, !isWatched(view.id) else { return nil }
        var paths = ["ok": "", "bad": "", "warn": ""]
        for (index, record) in ended.reversed().enumerated() {
            let tone = record.state.phase.tone
            let height = ["ok": 4, "bad": 12, "warn": 8][tone] ?? 2
            paths[tone, default: ""] += "M\(index * 8 + 3) 12v-\(height)"
        }
        let failed = ended.count { $0.state.phase == .failed }
        return [
            "width": String(ended.count * 8), "ok": paths["ok"], "bad": paths["bad"], "warn": paths["warn"],
            "words": strings(
                .outcomes,
                ["n": format.integer(Int64(ended.count)), "failed": format.integer(Int64(failed))]),
        ]
    }

    /// The next scheduled start as of the page's time, or nil if the schedule is paused.
    func nextStart(_ id: String) -> Timestamp? {
        guard !paused.contains(id), let now = format.now else { return nil }
        return catalog[id]?.schedule?.schedule.next(after: now)
    }
}
