import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// Triggers and notifications with all there is to say of them, for `partials/hooks`.
    func hooks(_ hooks: PageHooks) -> Fields {
        let administers = permissions.allowsEverywhere(.administer)
        return [
            "hasTriggers": !hooks.triggers.isEmpty,
            // Addresses are for those who set senders up.
            "triggers": hooks.triggers.map { trigger -> Fields in
                [
                    "name": trigger.rule.name, "url": administers ? "\(base)/\(trigger.rule.path)" : nil,
                    "form": strings.optional("hooks.form-\(trigger.rule.form.rawValue)"),
                    "secret": administers && !trigger.hasSecret ? trigger.rule.secret : nil,
                ]
            },
            "requests": hooks.requests.map { request($0) },
            "hasRules": !hooks.rules.isEmpty || !hooks.deliveries.isEmpty, "isOfRun": hooks.isOfRun,
            "rules": hooks.isOfRun
                ? []
                : hooks.rules.map { rule -> Fields in
                    [
                        "place": rule.place,
                        "when": NotificationEvent.allCases.filter(rule.events.contains)
                            .compactMap { strings.optional("hooks.when-\($0.rawValue)") }.joined(separator: ", "),
                    ]
                },
            "deliveries": hooks.deliveries.map { delivery($0) },
            "isWaiting": hooks.deliveries.contains { $0.status == .waiting },
            "testURL": !hooks.isOfRun && !hooks.rules.isEmpty && allows(.start, onOperation: hooks.operation)
                ? "\(base)/operations/\(hooks.operation)/notifications/test" : nil,
        ]
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
            // Of what arrived at once there is nothing more to say.
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
