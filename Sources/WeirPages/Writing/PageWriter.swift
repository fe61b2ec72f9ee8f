import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

/// Renders all pages in one language; extensions render the individual pages.
struct PageWriter: Sendable {
    var catalog: Catalog
    let library: any TemplateRendering
    let locale: PageLocale
    let locales: [PageLocale]
    let strings: StringTable
    var format: LocaleFormat
    /// The prefix of every URL: the mount path without its final slash.
    let base: String
    /// The URL prefix of the files of `Public`.
    let assets: String
    let permissions: Permissions
    let offersLinks: Bool
    let steps: StepCache
    let stepMarkup: StepMarkup
    /// The operations whose schedules are paused.
    var paused: Set<String> = []
    /// The acknowledged failures, by operation.
    var acknowledged: [String: Acknowledgement] = [:]
    /// The schedules whose latest start did not happen, by operation.
    var withoutStart: [String: ScheduleStanding] = [:]

    func allows(_ verb: Verb, onOperation id: String) -> Bool { permissions.allows(verb, on: .operation(id)) }

    func allows(_ verb: Verb, onStore id: String) -> Bool { permissions.allows(verb, on: .store(id)) }

    func moment(_ moment: Timestamp) -> MomentValue { MomentValue(moment: moment, format: format) }

    /// The title of an operation, or its id if the catalog does not contain it.
    ///
    /// The program of a step without a title has the label that the whole's pages show for the step.
    func title(of operation: String) -> String {
        let title = strings.optional("operation.\(operation).title") ?? catalog[operation]?.title ?? operation
        guard let whole = catalog[operation]?.partOf,
            ["\(whole)-\(title)", "\(whole)-\(title)-if"].contains(operation)
        else { return title }
        return label(of: title, in: whole)
    }

    /// The title of an operation in a list of several: that of a step's program follows the title of the steps.
    func wholeTitle(of operation: String) -> String {
        let title = title(of: operation)
        return catalog[operation]?.partOf.map { "\(self.title(of: $0)) \u{B7} \(title)" } ?? title
    }

    func summary(of operation: String) -> String {
        strings.optional("operation.\(operation).summary") ?? catalog[operation]?.summary ?? ""
    }

    /// The label of a run's state; the idle case `none` is shown as waiting to start.
    func label(of caseName: String, _ phase: Phase, in operation: String) -> String {
        guard phase == .idle, caseName == "none", strings.optional("case.\(operation).none") == nil else {
            return label(of: caseName, in: operation)
        }
        return strings[.waitingToStart]
    }

    func label(of caseName: String, in operation: String) -> String {
        PayloadValues(format: format, strings: strings, operation: operation).caseLabel(caseName)
    }

    func operation(_ id: String) -> Fields {
        ["id": id, "title": title(of: id), "summary": summary(of: id), "url": "\(base)/operations/\(id)"]
    }

    func word(for phase: Phase) -> String {
        switch phase {
        case .idle: strings[.phaseIdle]
        case .active: strings[.phaseActive]
        case .succeeded: strings[.phaseSucceeded]
        case .failed: strings[.phaseFailed]
        case .cancelled: strings[.phaseCancelled]
        case .interrupted: strings[.phaseInterrupted]
        }
    }

    func chip(_ caseName: String, _ phase: Phase, in operation: String) -> Fields {
        [
            "word": label(of: caseName, in: operation), "tone": phase.tone, "shape": phase.shape,
            "phase": phase.rawValue,
            "chipID": nil,
        ]
    }

    /// A chip with an id, so that patches can address it.
    func chip(_ record: RunRecord, in element: String) -> Fields { chip(record).merging(["chipID": "\(element)-chip"]) }

    /// The state of a run, for `partials/chip`; a run that ended because it was no longer watched has a neutral tone.
    func chip(_ record: RunRecord) -> Fields {
        let state = record.state
        return chip(state.caseName, state.phase, in: record.operation).merging([
            "word": label(of: state.caseName, state.phase, in: record.operation), "tone": tone(of: record),
        ])
    }

    func tone(of record: RunRecord) -> String {
        let cause = record.cause.map { EndCause($0) }
        let isUnwatched = record.state.phase == .cancelled && (cause == .unwatched || cause == .rolledOver)
        return isUnwatched ? Phase.idle.tone : record.state.phase.tone
    }

    func chip(_ state: Transition, of record: RunRecord) -> Fields {
        chip(state.caseName, state.phase, in: record.operation).merging([
            "word": label(of: state.caseName, state.phase, in: record.operation)
        ])
    }

    /// The recorded name of who started a run, translated unless it is a name that someone chose.
    func words(forActor name: String) -> String {
        switch name {
        case "schedule": strings[.actorSchedule]
        case "viewer": strings[.actorViewer]
        case "operator": strings[.actorOperator]
        case "anonymous": strings[.actorAnonymous]
        default: name
        }
    }

    /// The cause of a run's end, translated unless it is free text.
    func words(for cause: EndCause) -> String {
        switch cause {
        case .actor(let name): strings(.causeActor, ["actor": name])
        case .replaced: strings[.causeReplaced]
        case .unwatched: strings[.causeUnwatched]
        case .rolledOver: strings[.causeRolledOver]
        case .scope: strings[.causeScope]
        case .caller: strings[.causeCaller]
        case .itself: strings[.causeItself]
        case .shutdown: strings[.causeShutdown]
        case .shutdownWithSecrets: strings[.causeShutdownWithSecrets]
        case .shutdownWithFile: strings[.causeShutdownWithFile]
        case .kept: strings[.causeKept]
        case .stopped: strings[.causeStopped]
        case .exported: strings[.causeExported]
        case .unrecorded: strings[.causeUnrecorded]
        case .notAnEnd: strings[.causeNotAnEnd]
        case .silent: strings[.causeSilent]
        case .whole: strings[.causeWhole]
        case .overtime: strings[.causeOvertime]
        case .other(let text): text
        }
    }
}

extension Phase {
    /// The colour, as the name of a CSS class and of an icon.
    var tone: String {
        switch self {
        case .idle: "idle"
        case .active: "active"
        case .succeeded: "ok"
        case .failed: "bad"
        case .cancelled, .interrupted: "warn"
        }
    }

    /// The shape, as SVG path data in a box of 16 × 16 with the even-odd fill rule.
    var shape: String {
        switch self {
        case .idle: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2a5 5 0 1 1 0 10A5 5 0 0 1 8 3z"
        case .active: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z"
        case .succeeded: "M6.2 13.4L1.3 8.5l2-2 2.9 2.9L12.7 3l2 2z"
        case .failed: "M3.7 1.8L8 6.1l4.3-4.3 1.9 1.9L9.9 8l4.3 4.3-1.9 1.9L8 9.9l-4.3 4.3-1.9-1.9L6.1 8 1.8 3.7z"
        case .cancelled: "M2.5 2.5h11v11h-11z"
        case .interrupted: "M8 .8L15.8 15H.2zM7.1 6v4.6h1.8V6zm0 5.6v1.7h1.8v-1.7z"
        }
    }

    var glyph: String {
        switch self {
        case .idle: "\u{25CB}"
        case .active: "\u{25D0}"
        case .succeeded: "\u{2713}"
        case .failed: "\u{2715}"
        case .cancelled: "\u{25FC}"
        case .interrupted: "\u{26A0}"
        }
    }
}
