import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The place of a state: the available room, and the prefix of ids.
    struct Place {
        /// The prefix of all ids inside, so that ids stay unique if a state is shown several times.
        let uid: String
        /// Whether the state is shown on a card.
        let isCompact: Bool
        /// Whether the verdict of the run is shown above the state.
        var hasVerdict = false
    }

    /// The name of the template of a state.
    ///
    /// The operation's own template of the case takes precedence, then that of a shared kind of states, then the default of
    /// the phase.
    func template(for state: StateRecord, of operation: String) -> String {
        let own = "operations/\(operation)/\(state.caseName)"
        let shared = catalog[operation]?.sharedTemplates.map { "operations/default/\($0)" }
        // States named only by a file or program use the template of their phase.
        let names = shared.map { ["\($0)/\(state.caseName)", "\($0)/\(state.phase.rawValue)"] } ?? []
        return ([own] + names).first(where: library.contains)
            ?? "operations/default/\(state.phase.rawValue)"
    }

    /// The element that shows the state of a run: the state's own template, and the gauge.
    func statePanel(_ run: RunView, id: String, place: Place) -> TrustedHTML {
        render("partials/state", stateFields(run, place).merging(["id": id]))
    }

    func stateFields(_ run: RunView, _ place: Place) -> Fields {
        let state = run.record.state
        return [
            "body": stateBody(run, place), "tone": tone(of: run.record),
            "gauge": state.phase == .active ? gauge(state.progress, in: place) : nil, "left": left(run),
            "cause": cause(of: run.record).map(words(for:)),
        ]
    }

    /// The state's own template, rendered with the payload's members, which take precedence.
    func stateBody(_ run: RunView, _ place: Place) -> TrustedHTML {
        let record = run.record
        let values = PayloadValues(format: format, strings: strings, operation: record.operation)
        let payload = values.payload(record.state.payload)
        let name = template(for: record.state, of: record.operation)
        return render(name, stateContext(run, place).merging(members(of: payload)))
    }

    func stateContext(_ run: RunView, _ place: Place) -> Fields {
        let record = run.record
        let isTold = place.hasVerdict && tellsReason(record)
        return [
            "uid": place.uid, "compact": place.isCompact,
            "case": label(of: record.state.caseName, in: record.operation),
            "operation": operation(record.operation), "run": summary(record),
            "progress": gauge(record.state.progress), "stepList": stepList(run, place),
            "told": isTold && record.state.lastWords == nil, "toldLast": isTold && record.state.lastWords != nil,
        ]
    }

    /// The members of a payload by name, and all of them as a list.
    func members(of payload: ObjectValue) -> Fields {
        var fields: Fields = ["members": payload.transform("members")]
        for name in payload.json.keys { fields[name] = payload.child(named: name) }
        return fields
    }

    /// The progress of the work, for `partials/gauge`; without a total, only the completed amount.
    func gauge(_ progress: WorkProgress?) -> Fields? {
        guard let progress else { return nil }
        let count: (Int64) -> String = { count in
            switch progress.unit {
            case .bytes: format.bytes(Double(count))
            case .items: format.integer(count)
            case .percent: format.integer(count) + "\u{A0}%"
            }
        }
        return [
            "completed": count(progress.completed),
            "total": progress.unit == .percent ? nil : progress.total.map(count),
            "percent": progress.fraction.map(format.percent),
            "thousandths": progress.fraction.map { String(Int64(clamping: $0 * 1_000)) },
        ]
    }

    /// The gauge of a state with an id, so that patches can address it.
    func gauge(_ progress: WorkProgress?, in place: Place) -> Fields? {
        gauge(progress)?.merging(["gaugeID": "\(place.uid)-gauge"])
    }

    /// The cause of a run's end, unless its state already shows it.
    private func cause(of record: RunRecord) -> EndCause? {
        let cause = record.cause.map { EndCause($0) }
        return switch record.state.phase {
        case .cancelled, .interrupted: cause
        case .failed: cause == .notAnEnd ? cause : nil
        case .idle, .active, .succeeded: nil
        }
    }
}
