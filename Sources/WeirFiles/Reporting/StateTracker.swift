import WeirOperations
import WeirStates

/// Decides from what a program prints and reports which state its run is in: pure, without tasks or pipes.
struct StateTracker: Sendable {
    /// What a line comes to.
    struct Step: Sendable, Equatable {
        /// The state to go to, if it changes.
        var state: CommandState?
        /// Whether the line is output, and not a report.
        var isOutput = true
        /// Whether another case begins.
        var isTransition = false
        /// What the output should say about it, once.
        var notice: String?
    }

    /// The time that a pattern can take in a run with slow lines.
    static let patience = Duration.milliseconds(250)
    /// The time from which a line is slow: an ordinary one takes some microseconds.
    static let slowness = Duration.milliseconds(1)
    /// The least that a line counts on which a match is given up.
    static let leastLoss = patience / 20

    private let definition: OperationDefinition
    private let input: CommandInput
    private let clock: StepMeter.Clock
    private var name = CommandState.running
    private var details = StateDetails()
    /// All values of the run so far, which the texts of its end can name.
    private(set) var known: [String: JSONValue] = [:]
    /// The time that patterns took with slow lines, by their text.
    private var spent: [String: Duration] = [:]
    /// The state of the first pattern that is no longer tried.
    private(set) var givenUp: String?
    private var noticed: Set<String> = []
    /// The last line on standard error, and on standard output.
    private(set) var lastLine: [OutputChannel: String] = [:]

    /// Begins a run.
    ///
    /// - Parameters:
    ///   - definition: The operation.
    ///   - input: The run's input.
    ///   - clock: Measures what patterns take.
    init(
        _ definition: OperationDefinition, _ input: CommandInput,
        clock: @escaping StepMeter.Clock = StepMeter.processorTime
    ) {
        self.definition = definition
        self.input = input
        self.clock = clock
    }

    /// Whether lines are held against patterns.
    var hasPatterns: Bool { definition.states.values.contains { !$0.patterns.isEmpty } }

    /// A program begins, again perhaps.
    mutating func begin() -> CommandState {
        name = CommandState.running
        details = StateDetails(slow: givenUp)
        return .active(name, details)
    }

    /// Takes a printed line, or a text that is overwritten; what it says counts, and not its colours.
    mutating func take(_ printed: String, on channel: OutputChannel, isTick: Bool = false) -> Step {
        let line = printed.withoutEscapes
        if let report = StateReport(line: line) {
            var step = apply(report)
            step.isOutput = false
            return step
        }
        if !isTick, line.utf8.contains(where: { $0 > 0x20 }) { lastLine[channel] = line }
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

    /// Adds the time of a slow match, with any outcome, to that of its pattern; returns a notice for the output, if any.
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

    /// Takes a line of the pipe.
    mutating func take(json line: String) -> Step {
        guard let report = StateReport(json: line) else {
            return Step(
                isOutput: false,
                notice: once(
                    "json",
                    "A line in the pipe WEIR_STATES was ignored: it must be a JSON object such as "
                        + "{\"state\": \"uploading\", \"completed\": 40, \"total\": 100}, of at most 4,096 bytes."))
        }
        var step = apply(report)
        step.isOutput = false
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
        if let show = report.show ?? rule?.show?.filled({ text($0, details.values) ?? "" }) { details.show = show }
        guard isTransition || details != self.details else { return Step() }
        (self.name, self.details) = (name, details)
        return Step(state: .active(name, details), isTransition: isTransition)
    }

    private mutating func once(_ key: String, _ notice: String) -> String? {
        noticed.insert(key).inserted ? notice : nil
    }

    // MARK: Texts

    /// What the page of a run says in the end.
    func text(_ template: TextTemplate?) -> String? { template?.filled { text($0, known) ?? "" } }

    /// A value for a text on a page: what the program said, or an input that is no secret.
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
