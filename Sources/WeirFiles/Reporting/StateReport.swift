import WeirStates

/// What a program says about where it is: a state, values and a progress, as far as it says each.
///
/// A program says it in a line that it prints, `::weir uploading completed=40 total=100 unit=bytes file=a.bin::`, or in a
/// line of JSON in the pipe named by `WEIR_STATES`, `{"state": "uploading", "completed": 40, "total": 100}`. Neither can
/// say how the run ends: programs print what strangers sent.
struct StateReport: Sendable, Hashable {
    /// How many values a report has at most.
    static let maximumValues = 32

    /// The state's name; nil for the state that the run is in.
    var state: String?
    var show: String?
    var values: [String: JSONValue] = [:]
    var completed: String?
    var total: String?
    var unit: ProgressUnit?

    init(state: String? = nil) { self.state = state }

    /// Reads a printed line; nil for any other line, which is output.
    init?(line text: String) {
        guard let line = StateLine(text), line.state.map(CommandState.isFree) ?? true else { return nil }
        state = line.state
        for member in line.members {
            guard set(member.name, .string(member.value)) else { return nil }
        }
        guard state != nil || !isEmpty else { return nil }
    }

    /// Reads a line of JSON; nil if it is none, or none of a report.
    init?(json line: String) {
        guard line.utf8.count <= StateLine.maximumBytes, let members = try? JSONValue(parsing: line).object else {
            return nil
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if name == "state" {
                guard let text = value.string, CommandState.isFree(text) else { return nil }
                state = text
            } else if name == "values", let values = value.object {
                for (name, value) in values { guard keep(name, value) else { return nil } }
            } else {
                guard set(name, value) else { return nil }
            }
        }
        guard state != nil || !isEmpty else { return nil }
    }

    private var isEmpty: Bool { show == nil && values.isEmpty && completed == nil }

    /// Takes a member; false if it cannot be one.
    private mutating func set(_ name: String, _ value: JSONValue) -> Bool {
        switch name {
        case "show":
            guard let text = value.string else { return false }
            show = Self.shortened(text)
        case "completed", "total":
            let text = value.string ?? value.integer.map { String($0) } ?? value.number.map { String($0) }
            guard let text else { return value == .null }
            if name == "completed" { completed = text } else { total = text }
        case "unit":
            guard let unit = value.string.flatMap({ ProgressUnit(rawValue: $0) }) else { return false }
            self.unit = unit
        default: return keep(name, value)
        }
        return true
    }

    private mutating func keep(_ name: String, _ value: JSONValue) -> Bool {
        guard Shape.isName(name, limit: 40), values.count < Self.maximumValues else { return false }
        switch value {
        case .string(let text): values[name] = .string(Self.shortened(text))
        case .bool, .integer, .number: values[name] = value
        case .null: break
        case .array, .object: return false
        }
        return true
    }

    /// A text short enough for a page.
    static func shortened(_ text: String) -> String {
        guard text.utf8.count > 1_000 else { return text }
        return String(text.prefix(500)) + "…"
    }
}
