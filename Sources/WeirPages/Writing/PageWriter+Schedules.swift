import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    func schedulesPage(_ views: [ScheduleView]) -> Fields {
        // Sorted: schedules that lack their latest start, then by the next start, then paused ones.
        let sorted = views.sorted { one, other in
            let (a, b) = (one.standing.lacksStart ? 0 : 1, other.standing.lacksStart ? 0 : 1)
            if a != b { return a < b }
            return (one.upcoming.first?.milliseconds ?? .max) < (other.upcoming.first?.milliseconds ?? .max)
        }
        return ["rows": sorted.map { schedule($0) }, "apiURL": "\(base)/api/v1/schedules"]
    }

    func schedule(_ view: ScheduleView) -> Fields {
        let (schedule, standing) = (view.start.schedule, view.standing)
        return [
            "cardID": "schedule-\(view.operation)", "operation": operation(view.operation),
            "url": "\(base)/schedules#schedule-\(view.operation)", "text": schedule.text, "words": words(for: schedule),
            "isLate": standing.lacksStart,
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
            "pause": standing.pause.map { ["name": $0.by, "at": moment($0.at), "reason": $0.reason] as Fields },
            "last": standing.last.map { last($0, view) },
            "missed": standing.missed.map {
                ["count": format.integer(Int64($0.count)), "isOne": $0.count == 1, "newest": moment($0.newest)]
                    as Fields
            },
            "hasNext": !view.upcoming.isEmpty, "isOver": view.upcoming.isEmpty && standing.pause == nil,
            "soonest": view.upcoming.first.map { self.next($0, schedule) },
            "next": view.upcoming.map { self.next($0, schedule) },
            "form": allows(.start, onOperation: view.operation) ? form(view) : nil,
        ]
    }

    private func next(_ time: Timestamp, _ schedule: Schedule) -> Fields {
        ["iso": CivilTime(time).iso, "local": format.local(schedule.wallClock(at: time))]
    }

    /// A duration in its largest unit that gives a whole number.
    private func words(forDelay milliseconds: Int64) -> String {
        let units: [(size: Int64, name: String)] = [(3_600_000, "h"), (60_000, "min"), (1_000, "s")]
        let unit = units.first { milliseconds % $0.size == 0 } ?? (1_000, "s")
        return "\(format.integer(milliseconds / unit.size))\u{A0}\(unit.name)"
    }

    private func last(_ firing: ScheduleStanding.Firing, _ view: ScheduleView) -> Fields {
        [
            "at": moment(firing.at), "refusal": firing.refusal.map(strings.said),
            "run": firing.run.map { link(toRun: $0) },
            "chip": view.lastRun.map { chip($0.state.caseName, $0.state.phase, in: $0.operation) },
        ]
    }

    private func form(_ view: ScheduleView) -> Fields {
        let isPaused = view.standing.pause != nil
        return [
            "isPaused": isPaused, "isElsewhere": false, "formID": "pause-\(view.operation)",
            "action": "\(base)/schedules/\(view.operation)/\(isPaused ? "resumption" : "pause")",
        ]
    }
}

extension PageWriter {
    func hooks(_ hooks: PageHooks) -> Fields {
        let administers = permissions.allowsEverywhere(.administer)
        return [
            "hasTriggers": !hooks.triggers.isEmpty,
            // Only administrators, who configure senders, see addresses.
            "triggers": hooks.triggers.map { trigger -> Fields in
                [
                    "name": trigger.rule.name, "url": administers ? "\(base)/\(trigger.rule.path)" : nil,
                    "form": strings.optional("hooks.form-\(trigger.rule.form.rawValue)"),
                    "secret": administers && !trigger.hasSecret ? trigger.rule.secret : nil,
                ]
            },
            "requests": hooks.requests.map { request($0) },
            "hasRules": !hooks.rules.isEmpty || !hooks.deliveries.isEmpty, "isOfRun": hooks.isOfRun,
            "server": hooks.server,
            "rules": hooks.isOfRun
                ? []
                : hooks.rules.map { rule -> Fields in
                    [
                        "place": rule.place,
                        "when": NotificationEvent.allCases.filter(rule.occasions.contains)
                            .compactMap { strings.optional("hooks.when-\($0.rawValue)") }.joined(separator: ", "),
                    ]
                },
            "deliveries": hooks.deliveries.map { delivery($0) },
            "isWaiting": hooks.deliveries.contains { $0.status == .waiting },
            "testURL": testURL(hooks),
        ]
    }

    private func testURL(_ hooks: PageHooks) -> String? {
        guard !hooks.isOfRun, !hooks.rules.isEmpty else { return nil }
        if hooks.operation == ServerCondition.operation { return "\(base)/notifications/test" }
        guard allows(.start, onOperation: hooks.operation) else { return nil }
        return "\(base)/operations/\(hooks.operation)/notifications/test"
    }

    private func request(_ record: TriggerRecord) -> Fields {
        let phase: Phase =
            switch record.outcome {
            case .started: .succeeded
            case .repeated, .ignored, .ping: .idle
            case .refused, .unproven: .failed
            }
        return [
            "at": moment(Timestamp(milliseconds: record.at)), "chip": chip("hooks.\(record.outcome.rawValue)", phase),
            "count": record.count > 1 ? format.integer(record.count) : nil,
            "trigger": record.trigger.split(separator: "/").last.map(String.init),
            "run": record.run.map { link(toRun: $0) }, "detail": record.detail,
        ]
    }

    private func delivery(_ record: DeliveryRecord) -> Fields {
        let phase: Phase =
            switch record.status {
            case .waiting: .active
            case .delivered: .succeeded
            case .failed: .failed
            }
        return [
            "at": moment(Timestamp(milliseconds: record.triedAt ?? record.facts.endedAt)), "place": record.place,
            "event": strings.optional("hooks.when-\(record.facts.event?.rawValue ?? "test")"),
            "chip": chip("hooks.\(record.status.rawValue)", phase),
            // A message delivered at the first attempt needs no detail.
            "detail": record.status == .delivered && record.attempts == 1 ? nil : record.detail,
            "attempts": record.attempts > 1 ? format.integer(Int64(record.attempts)) : nil,
            "next": record.status == .waiting && record.attempts > 0
                ? moment(Timestamp(milliseconds: record.nextAt)) : nil,
            "run": record.facts.run.map { link(toRun: $0) },
        ]
    }

    private func chip(_ key: String, _ phase: Phase) -> Fields {
        ["word": strings.optional(key), "tone": phase.tone, "shape": phase.shape, "chipID": nil]
    }
}
