import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// Renders all pages in one language.
///
/// What each page is made of is told by the extensions.
struct PageWriter: Sendable {
    var catalog: Catalog
    let library: any TemplateRendering
    let locale: PageLocale
    let locales: [PageLocale]
    let strings: StringTable
    var format: LocaleFormat
    /// What every URL begins with: nothing, or the mount path without its last slash.
    let base: String
    /// What the URL of each file of `Public` begins with.
    let assets: String
    /// What those who are shown the pages may do.
    let permissions: Permissions
    /// Whether a run's page leads to the links to it.
    let offersLinks: Bool

    /// Whether something may be done to an operation and its runs.
    func allows(_ verb: Verb, onOperation id: String) -> Bool { permissions.allows(verb, on: .operation(id)) }

    /// Whether something may be done to a store.
    func allows(_ verb: Verb, onStore id: String) -> Bool { permissions.allows(verb, on: .store(id)) }

    /// What every template can name.
    var common: Fields { ["t": strings.context, "base": base, "assets": assets, "locale": locale.tag] }

    /// Renders a template with what every template can name and these.
    func render(_ template: String, _ fields: Fields) -> TrustedHTML {
        TrustedHTML(library.render(template, common.merging(fields)))
    }

    /// A moment for `partials/time` or `partials/since`.
    func moment(_ moment: Timestamp) -> MomentValue { MomentValue(moment: moment, format: format) }

    /// The name of an operation for people; its id when the catalog no longer has it.
    func title(of operation: String) -> String {
        strings.optional("operation.\(operation).title") ?? catalog[operation]?.title ?? operation
    }

    /// What an operation does, in a sentence.
    func summary(of operation: String) -> String {
        strings.optional("operation.\(operation).summary") ?? catalog[operation]?.summary ?? ""
    }

    /// The name of a run's state for people: one that has begun is not "none".
    func label(of caseName: String, _ phase: Phase, in operation: String) -> String {
        guard phase == .idle, caseName == "none", strings.optional("case.\(operation).none") == nil else {
            return label(of: caseName, in: operation)
        }
        return strings[.waitingToStart]
    }

    /// The name of a case for people.
    func label(of caseName: String, in operation: String) -> String {
        PayloadValues(format: format, strings: strings, operation: operation).caseLabel(caseName)
    }

    /// An operation's name and address.
    func operation(_ id: String) -> Fields {
        ["id": id, "title": title(of: id), "summary": summary(of: id), "url": "\(base)/operations/\(id)"]
    }

    /// The name of a phase for people.
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

    /// A state as shape, word and colour, for `partials/chip`.
    func chip(_ caseName: String, _ phase: Phase, in operation: String) -> Fields {
        [
            "word": label(of: caseName, in: operation), "tone": phase.tone, "shape": phase.shape,
            "phase": phase.rawValue,
            "chipID": nil,
        ]
    }

    /// A chip that a change of its run can address.
    func chip(_ record: RunRecord, in element: String) -> Fields { chip(record).merging(["chipID": "\(element)-chip"]) }

    /// A run's state, for `partials/chip`; one that ended only because nobody watched is nobody's concern.
    func chip(_ record: RunRecord) -> Fields {
        let state = record.state
        return chip(state.caseName, state.phase, in: record.operation).merging([
            "word": label(of: state.caseName, state.phase, in: record.operation), "tone": tone(of: record),
        ])
    }

    /// The colour of a run.
    func tone(of record: RunRecord) -> String {
        let cause = record.cause.map { EndCause($0) }
        let isUnwatched = record.state.phase == .cancelled && (cause == .unwatched || cause == .rolledOver)
        return isUnwatched ? Phase.idle.tone : record.state.phase.tone
    }

    /// A state that a run passed through, for `partials/chip`.
    func chip(_ state: Transition, of record: RunRecord) -> Fields {
        chip(state.caseName, state.phase, in: record.operation).merging([
            "word": label(of: state.caseName, state.phase, in: record.operation)
        ])
    }

    /// Why a run ended, in the reader's language where the words are ours.
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
