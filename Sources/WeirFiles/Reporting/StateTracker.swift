import WeirBoards
import WeirOperations
import WeirStates

/// Determines the state of a run from its output and reports.
///
/// Pure.
struct StateTracker: Sendable {
    struct Step: Sendable, Equatable {
        /// The new state, if it changes.
        var state: CommandState?
        /// Whether the line is output and not a report.
        var isOutput = true
        /// Whether the state's name changes.
        var isTransition = false
        var notice: String?
    }

    /// The total time that a pattern can spend on slow lines in a run.
    static let patience = Duration.milliseconds(250)
    /// The time from which a match is slow; a normal one takes some microseconds.
    static let slowness = Duration.milliseconds(1)
    static let leastLoss = patience / 20

    private let definition: OperationDefinition
    private let input: CommandInput
    /// Masks the run's secrets.
    let mask: SecretMask
    private let clock: StepMeter.Clock
    private var name = CommandState.running
    private var details = StateDetails()
    /// All values of the attempt so far, which the texts of the run's end can use.
    private(set) var known: [String: JSONValue] = [:]
    /// The time that patterns spent on slow lines, by pattern text.
    private var spent: [String: Duration] = [:]
    /// The state of the first disabled pattern.
    private(set) var givenUp: String?
    private var noticed: Set<String> = []
    /// The paths of files that the attempt's program named to be kept.
    private(set) var artifacts: [String] = []
    /// The printed line that was processed last, without its escape sequences.
    private(set) var plainLine = ""
    /// The line of the attempt that the reason of its failure shows.
    var telling = TellingLine()

    init(
        _ definition: OperationDefinition, _ input: CommandInput,
        clock: @escaping StepMeter.Clock = StepMeter.processorTime
    ) {
        self.definition = definition
        self.input = input
        mask = SecretMask(definition.fields.filter(\.isSecret).compactMap { input.text($0.name) })
        self.clock = clock
    }

    var hasPatterns: Bool { definition.states.values.contains { !$0.patterns.isEmpty } }

    /// Begins an attempt, without the values and lines of the one before it.
    mutating func begin() -> CommandState {
        (known, telling, artifacts) = ([:], TellingLine(), [])
        name = CommandState.running
        details = StateDetails(slow: givenUp)
        return .active(name, details)
    }

    /// Processes a printed line or tick, whose secrets are masked, without its escape sequences.
    mutating func take(_ printed: String, on channel: OutputChannel, isTick: Bool = false) -> Step {
        var line = printed.withoutEscapes
        // Escape sequences can have divided a secret.
        if line != printed { line = mask.masked(line) }
        if let report = StateReport(line: line) {
            return take(report)
        }
        plainLine = line
        var notice: String?
        for name in definition.stateOrder {
            for pattern in definition.states[name]?.patterns ?? [] where isTried(pattern) {
                let match = pattern.match(line, clock: clock)
                if let sentence = charge(match, to: pattern, in: name) { notice = sentence }
                guard case .matched(let values) = match.outcome else { continue }
                var step = apply(report(name, values))
                step.notice = step.notice ?? notice
                return step
            }
        }
        guard details.slow != givenUp else { return Step(notice: notice) }
        details.slow = givenUp
        return Step(state: .active(name, details), notice: notice)
    }

    private func isTried(_ pattern: TextPattern) -> Bool { spent[pattern.text].map { $0 < Self.patience } ?? true }

    /// Charges the time of a slow match to its pattern, and returns a notice, if any.
    private mutating func charge(_ match: TextPattern.Match, to pattern: TextPattern, in state: String) -> String? {
        let isLost = match.outcome == .tooSlow
        guard isLost || match.time >= Self.slowness else { return nil }
        spent[pattern.text, default: .zero] += isLost ? max(match.time, Self.leastLoss) : match.time
        let remedy = "Make it simpler: avoid repetitions within repetitions."
        guard isTried(pattern) else {
            givenUp = givenUp ?? state
            return "A pattern of the state “\(state)” took too long and is given up for the rest of this run. \(remedy)"
        }
        guard isLost else { return nil }
        return once(
            pattern.text, "A pattern of the state “\(state)” took too long on a line, and was given up there. \(remedy)"
        )
    }

    mutating func take(json line: String) -> Step {
        guard let report = StateReport(json: line, mask: mask) else {
            return Step(
                isOutput: false,
                notice: once(
                    "json",
                    "A line in the pipe WEIR_STATES was ignored: it must be a JSON object such as "
                        + "{\"state\": \"uploading\", \"completed\": 40, \"total\": 100}, of at most 4,096 bytes."))
        }
        return take(report)
    }

    /// Applies a report of the program, with a notice of each member that is ignored, once for a name.
    private mutating func take(_ report: StateReport) -> Step {
        if definition.artifacts != nil, report.state == "artifact", let path = report.values["path"]?.string {
            if artifacts.count < ArtifactStore.maximumCount { artifacts.append(path) }
            return Step(isOutput: false)
        }
        var step = apply(report)
        step.isOutput = false
        let ignored = report.ignored.sorted { $0.key < $1.key }.filter {
            noticed.count < StateReport.maximumValues && noticed.insert("member \($0.key)").inserted
        }
        let notices = ignored.map { "In a state report, “\($0.key)” was ignored: it must be \($0.value)." }
        step.notice = ([step.notice].compactMap { $0 } + notices).joined(separator: " ")
        if step.notice?.isEmpty == true { step.notice = nil }
        return step
    }

    private func report(_ state: String, _ groups: [String: String]) -> StateReport {
        var report = StateReport(state: state)
        for (name, value) in groups {
            switch name {
            case "completed": report.completed = value
            case "total": report.total = value
            default: report.values[name] = .string(StateReport.shortened(value))
            }
        }
        return report
    }

    private mutating func apply(_ report: StateReport) -> Step {
        let name = report.state ?? self.name
        let rule = definition.states[name]
        if definition.isStrict, rule == nil, name != CommandState.running {
            return Step(
                notice: once(
                    "strict", "The state “\(name)” is not declared in the file, and was ignored as the file is strict.")
            )
        }
        let isTransition = name != self.name
        var details = isTransition ? StateDetails() : self.details
        details.slow = givenUp
        details.values.merge(report.values) { $1 }
        if details.values.count > StateReport.maximumValues { details.values = report.values }
        known.merge(report.values) { $1 }
        if known.count > 8 * StateReport.maximumValues { known = details.values }
        let unit = report.unit ?? rule?.unit ?? details.progress?.unit ?? .items
        if let progress = WorkProgress(completed: report.completed, total: report.total, unit: unit) {
            details.progress = progress
        }
        let amounts = ["completed": report.completed, "total": report.total]
        let shown = rule?.show?.filled { name in
            text(name, details.values) ?? amounts[name]?.map(StateReport.shortened) ?? ""
        }
        if let show = report.show ?? shown { details.show = show }
        guard isTransition || details != self.details else { return Step() }
        (self.name, self.details) = (name, details)
        return Step(state: .active(name, details), isTransition: isTransition)
    }

    private mutating func once(_ key: String, _ notice: String) -> String? {
        noticed.insert(key).inserted ? notice : nil
    }

    // MARK: Texts

    /// A text of the run's final page.
    func text(_ template: TextTemplate?) -> String? { template?.filled { text($0, known) ?? "" } }

    /// A value for a text on a page: a reported value, or an input that is not secret.
    private func text(_ name: String, _ values: [String: JSONValue]) -> String? {
        switch values[name] ?? known[name] {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .number(let number): return String(number)
        case .bool(let flag): return String(flag)
        case .null, .array, .object, nil: break
        }
        guard definition.fields.contains(where: { $0.name == name && !$0.isSecret }) else { return nil }
        return input.text(name).map(StateReport.shortened)
    }
}
