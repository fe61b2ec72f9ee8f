package import WeirBoards
package import WeirOperations
import WeirStates

/// A declared operation: its program, its input and its states.
package struct OperationDefinition: Sendable {
    /// The id, which is the file's name.
    package let id: String
    package let title: LocalizedText
    package let summary: LocalizedText
    package let tags: [String]
    package private(set) var fields: [InputField]
    /// The programs that list the values of choices, by field.
    let choices: [String: ChoiceCommand]
    /// The localized labels and help texts, by field.
    package let fieldTexts: [String: (label: LocalizedText?, help: LocalizedText?)]
    package let reentry: ReentryPolicy
    package let timeout: Duration?
    /// The time between the stop signal and SIGKILL.
    package let stopGracePeriod: Duration
    package var stateTitles: [String: LocalizedText] {
        switch program {
        case .request: return LocalizedText.stepsOfRequests
        case .feed: return LocalizedText.statesOfFeeds
        case .steps(let steps):
            return Dictionary(steps.steps.compactMap { step in step.title.map { (step.name, $0) } }) { first, _ in first
            }
        case .command, .shell, .elsewhere: return states.compactMapValues(\.title)
        }
    }

    let program: Program
    let environment: [(name: String, value: TextTemplate)]
    let input: TextTemplate?
    /// The working directory relative to the folder of operation files, or nil for that folder.
    let directory: String?
    let stopSignal: ProcessSignal
    let retry: Retry?
    let hasTerminal: Bool
    let isStrict: Bool
    let isLiteral: Bool
    /// Whether it is the program of a step.
    let isStep: Bool
    /// Whether programs that a run leaves running are kept.
    let keepsOthers: Bool
    let limits: CommandLaunch.Limits
    /// The maximum size of a run's recorded output, or nil for that of the settings.
    let maximumOutput: ByteCount?
    /// The umask, or nil for that of the settings.
    let umask: FileMask?
    /// The user that the program runs as, or nil for the server's.
    let user: String?
    let states: [String: StateRule]
    /// The names of the states in file order, which is the order of matching.
    let stateOrder: [String]
    let exitCodes: Set<Int32>
    /// The files that are kept with a run, or nil if it keeps none, also none that its program names.
    let artifacts: [ArtifactPattern]?
    let success: TextTemplate?
    let failure: TextTemplate?
    package let schedule: ScheduledStart?
    /// The presets of the form, in the order of the file.
    package let presets: [InputPreset]
    package let triggers: [TriggerRule]
    /// The notification rules, or nil for those of the settings.
    package let notifications: [NotificationRule]?
    /// Whether its feed is polled without viewers, or nil if it has no feed.
    package var pollsAlways: Bool? { if case .feed(let feed) = program { feed.isAlways } else { nil } }
    /// Whether external programs report its runs.
    package var isReported: Bool { if case .elsewhere = program { true } else { false } }

    enum Program: Sendable {
        case command([Argument])
        case shell(String)
        /// None: external programs report the runs.
        case elsewhere
        case request(DeclaredRequest)
        case feed(DeclaredFeed)
        case steps(DeclaredSteps)

        var subject: String {
            switch self {
            case .command: "The program “\(name)”"
            case .shell: "The script"
            case .elsewhere, .steps, .request, .feed: "The program"
            }
        }

        var name: String {
            switch self {
            case .command(let arguments): arguments.first?.template?.filled { _ in nil } ?? "the program"
            case .shell: "/bin/sh"
            case .elsewhere, .steps, .request, .feed: "the program"
            }
        }
    }

    /// An argument, or several that are present only if an input has a value.
    enum Argument: Sendable, Hashable {
        case one(TextTemplate)
        case group(if: String, [TextTemplate])

        var template: TextTemplate? {
            guard case .one(let template) = self else { return nil }
            return template
        }

        var templates: [TextTemplate] {
            switch self {
            case .one(let template): [template]
            case .group(_, let templates): templates
            }
        }
    }

    struct Retry: Sendable, Hashable {
        let limit: Int
        let interval: Duration
    }
}

extension OperationDefinition {
    /// The values of a choice that a program lists.
    struct ChoiceList {
        let groups: [ChoiceGroup]
        let failure: String?
        /// Whether a program has not ended for the first time yet.
        let isPending: Bool
    }

    /// Returns the operation with the given values of choices, by field.
    func with(choices lists: [String: ChoiceList]) -> OperationDefinition {
        var definition = self
        definition.fields = fields.map { field in
            guard let list = lists[field.name] else { return field }
            let groups = list.groups
            var known: Set<String> = []
            let values = groups.flatMap(\.values).filter { known.insert($0).inserted }
                .filter { !field.takesSeveral || !$0.contains(",") }
            // While values are missing, the default is kept, so that no run starts without it.
            var standard = field.defaultValue
            let chosen = standard?.array?.compactMap(\.string) ?? standard?.string.map { [$0] } ?? []
            if !list.isPending, chosen.isEmpty || !chosen.allSatisfy(values.contains) { standard = nil }
            var filled = InputField(
                field.name, field.label, .choice(values), required: field.isRequired, default: standard,
                help: values.isEmpty ? list.failure ?? field.help : field.help, unit: field.unit)
            filled.groups = groups.filter { !$0.conditions.isEmpty }
            filled.isPending = list.isPending
            (filled.takesSeveral, filled.conditions) = (field.takesSeveral, field.conditions)
            return filled
        }
        return definition
    }
}

/// A declared state: the patterns that match it, and its texts.
struct StateRule: Sendable {
    let patterns: [TextPattern]
    let title: LocalizedText?
    let show: TextTemplate?
    let unit: ProgressUnit?
}
