import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// All schedules.
    func schedulesPage(_ views: [ScheduleView]) -> Fields {
        ["cards": views.map { schedule($0) }, "apiURL": "\(base)/api/v1/schedules"]
    }

    /// A schedule with all there is to say of it, for `partials/schedule`.
    func schedule(_ view: ScheduleView) -> Fields {
        let (schedule, standing) = (view.start.schedule, view.standing)
        return [
            "cardID": "schedule-\(view.operation)", "operation": operation(view.operation),
            "url": "\(base)/schedules#schedule-\(view.operation)", "text": schedule.text,
            "zone": schedule.isInterval ? nil : schedule.timezone,
            "delay": schedule.randomDelay > 0 ? words(forDelay: schedule.randomDelay) : nil,
            "catchUp": strings.optional("schedules.\(schedule.catchUp.rawValue)"),
            "chip": standing.pause.map { _ in
                [
                    "word": strings[.schedulePaused], "tone": Phase.interrupted.tone, "shape": Phase.interrupted.shape,
                    "chipID": nil,
                ]
                    as Fields
            },
            "pause": standing.pause.map { ["name": $0.by, "at": moment($0.at)] as Fields },
            "last": standing.last.map { last($0, view) },
            "missed": standing.missed.map {
                ["count": format.integer(Int64($0.count)), "isOne": $0.count == 1, "newest": moment($0.newest)]
                    as Fields
            },
            "hasNext": !view.upcoming.isEmpty,
            "next": view.upcoming.map { time -> Fields in
                ["iso": CivilTime(time).iso, "local": format.local(schedule.wallClock(at: time))]
            },
            "form": allows(.start, onOperation: view.operation) ? form(view) : nil,
        ]
    }

    /// A length of time in whole seconds, in the largest unit that it is a number of.
    private func words(forDelay milliseconds: Int64) -> String {
        let units: [(size: Int64, name: String)] = [(3_600_000, "h"), (60_000, "min"), (1_000, "s")]
        let unit = units.first { milliseconds % $0.size == 0 } ?? (1_000, "s")
        return "\(format.integer(milliseconds / unit.size))\u{A0}\(unit.name)"
    }

    private func last(_ firing: ScheduleStanding.Firing, _ view: ScheduleView) -> Fields {
        [
            "at": moment(firing.at), "refusal": firing.refusal,
            "run": firing.run.map { link(toRun: $0) },
            "chip": view.lastRun.map { chip($0.state.caseName, $0.state.phase, in: $0.operation) },
        ]
    }

    private func form(_ view: ScheduleView) -> Fields {
        let isPaused = view.standing.pause != nil
        return [
            "isPaused": isPaused,
            "action": "\(base)/schedules/\(view.operation)/\(isPaused ? "resumption" : "pause")",
        ]
    }
}
