package import WeirBoards
package import WeirOperations
import WeirStates

/// An operation that a file declares: a program, what it is given, and the states that it passes through.
package struct OperationDefinition: Sendable {
    /// The id, which is the file's name.
    package let id: String
    /// What people call it.
    package let title: LocalizedText
    /// What it does.
    package let summary: LocalizedText
    /// Words that it can be found by.
    package let tags: [String]
    /// The fields of its input.
    package private(set) var fields: [InputField]
    /// The programs that list the values of choices, by field.
    let choices: [String: ChoiceCommand]
    /// Their labels and helps in several languages, by field.
    package let fieldTexts: [String: (label: LocalizedText?, help: LocalizedText?)]
    /// What a second start does while a run is active.
    package let reentry: ReentryPolicy
    /// After how long a run is stopped, and fails.
    package let timeout: Duration?
    /// How long the program can take to stop.
    package let stopGracePeriod: Duration
    /// What people call its states, by case.
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
    /// Where it runs, relative to the folder of operation files; nil for that folder.
    let directory: String?
    let stopSignal: ProcessSignal
    let retry: Retry?
    let hasTerminal: Bool
    let isStrict: Bool
    /// Whether its texts are given to the program as they are written.
    let isLiteral: Bool
    let limits: CommandLaunch.Limits
    /// The permissions that its new files do not get; nil for those of the settings.
    let umask: FileMask?
    /// The declared states by name.
    let states: [String: StateRule]
    /// The names of the states in the order of the file, in which their patterns are tried.
    let stateOrder: [String]
    let exitCodes: Set<Int32>
    let success: TextTemplate?
    let failure: TextTemplate?
    /// When it starts by itself; nil for never.
    package let schedule: DeclaredSchedule?
    /// The requests from outside that start it.
    package let triggers: [TriggerRule]
    /// Who is told how its runs end; nil for those of the settings.
    package let notifications: [NotificationRule]?
    /// Whether it polls an address, and also while nobody watches; nil for what polls none.
    package var pollsAlways: Bool? { if case .feed(let feed) = program { feed.isAlways } else { nil } }
    /// Whether programs elsewhere report its runs, and there is nothing to run here.
    package var isReported: Bool { if case .elsewhere = program { true } else { false } }

    /// What is run.
    enum Program: Sendable {
        /// A program and its arguments.
        case command([Argument])
        /// A text for the shell.
        case shell(String)
        /// Nothing: programs elsewhere report its runs.
        case elsewhere
        /// A request, sent once or until it succeeds.
        case request(DeclaredRequest)
        /// An address that is polled.
        case feed(DeclaredFeed)
        /// Other operations, one after the other.
        case steps(DeclaredSteps)

        /// What sentences about its end begin with.
        var subject: String {
            switch self {
            case .command: "The program “\(name)”"
            case .shell: "The script"
            case .elsewhere, .steps, .request, .feed: "The program"
            }
        }

        /// The program that is started.
        var name: String {
            switch self {
            case .command(let arguments): arguments.first?.template?.filled { _ in nil } ?? "the program"
            case .shell: "/bin/sh"
            case .elsewhere, .steps, .request, .feed: "the program"
            }
        }
    }

    /// An argument, or several that stand there only if an input has a value.
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

    /// How a failed program is run again.
    struct Retry: Sendable, Hashable {
        let limit: Int
        let interval: Duration
    }
}

extension OperationDefinition {
    /// The values of a choice that a program lists.
    struct ChoiceList {
        let groups: [ChoiceGroup]
        /// Why a program could not list values.
        let failure: String?
        /// Whether a program has not ended yet for the first time.
        let isPending: Bool
    }

    /// The same with these values of choices, by field.
    func with(choices lists: [String: ChoiceList]) -> OperationDefinition {
        var definition = self
        definition.fields = fields.map { field in
            guard let list = lists[field.name] else { return field }
            let groups = list.groups
            var known: Set<String> = []
            let values = groups.flatMap(\.values).filter { known.insert($0).inserted }
            // While values are missing, the default is kept, so that no start goes without it.
            var standard = field.defaultValue
            if !list.isPending, standard?.string.map(values.contains) != true { standard = nil }
            var filled = InputField(
                field.name, field.label, .choice(values), required: field.isRequired, default: standard,
                help: values.isEmpty ? list.failure ?? field.help : field.help, unit: field.unit)
            filled.groups = groups.filter { !$0.conditions.isEmpty }
            filled.isPending = list.isPending
            return filled
        }
        return definition
    }
}

/// A declared state: how it is recognised, and what its page says.
struct StateRule: Sendable {
    let patterns: [TextPattern]
    let title: LocalizedText?
    let show: TextTemplate?
    let unit: ProgressUnit?
}
