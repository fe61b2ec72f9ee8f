import Operations
import Patterns
import States

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

    /// After how many matches that were given up a pattern is no longer tried.
    static let patience = 20

    private let definition: OperationDefinition
    private let input: CommandInput
    private var name = CommandState.running
    private var details = StateDetails()
    /// All values of the run so far, which the texts of its end can name.
    private(set) var known: [String: JSONValue] = [:]
    private var slow: [String: Int] = [:]
    private var noticed: Set<String> = []
    /// The last line on standard error, and on standard output.
    private(set) var lastLine: [OutputChannel: String] = [:]

    init(_ definition: OperationDefinition, _ input: CommandInput) {
        self.definition = definition
        self.input = input
    }

    /// A program begins, again perhaps.
    mutating func begin() -> CommandState {
        name = CommandState.running
        details = StateDetails()
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
        for name in definition.stateOrder {
            for pattern in definition.states[name]?.patterns ?? [] {
                guard slow[pattern.text, default: 0] < Self.patience else { continue }
                switch pattern.match(line) {
                case .none: continue
                case .matched(let values): return apply(report(name, values))
                case .tooSlow:
                    slow[pattern.text, default: 0] += 1
                    guard let notice = notice(of: pattern, in: name) else { continue }
                    return Step(notice: notice)
                }
            }
        }
        return Step()
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

    private mutating func notice(of pattern: TextPattern, in state: String) -> String? {
        once(
            pattern.text,
            "A pattern of the state “\(state)” took too long on a line, and was given up there. Make it simpler: avoid "
                + "repetitions within repetitions.")
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
