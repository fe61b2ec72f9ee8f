import WeirStates

/// A report of a program: a state, values and progress, all optional.
///
/// It is a printed line, `::weir uploading completed=40 total=100 unit=bytes file=a.bin::`, or a line of JSON in the pipe that
/// `WEIR_STATES` names, `{"state": "uploading", "completed": 40, "total": 100}`. Neither can set the outcome of a run, because
/// output can contain untrusted text.
struct StateReport: Sendable, Hashable {
    static let maximumValues = 32

    /// The state's name, or nil for the current state.
    var state: String?
    var show: String?
    var values: [String: JSONValue] = [:]
    var completed: String?
    var total: String?
    var unit: ProgressUnit?

    init(state: String? = nil) { self.state = state }

    /// Parses a printed line, or returns nil for ordinary output.
    init?(line text: String) {
        guard let line = StateLine(text), line.state.map(CommandState.isFree) ?? true else { return nil }
        state = line.state
        for member in line.members {
            guard set(member.name, .string(member.value)) else { return nil }
        }
        guard state != nil || !isEmpty else { return nil }
    }

    /// Parses a line of JSON, or returns nil if it is not a valid report.
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

    /// Sets a member; returns false if it is invalid.
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

    static func shortened(_ text: String) -> String {
        guard text.utf8.count > 1_000 else { return text }
        return String(text.prefix(500)) + "…"
    }
}

typealias ProgressUnit = WorkProgress.Unit

extension WorkProgress {
    /// Parses counts as programs print them: `1,234,567`, `45%`, `12.5M`.
    init?(completed: String?, total: String?, unit: Unit) {
        guard let done = completed.flatMap({ Self.count($0, unit) }) else { return nil }
        let all = total.flatMap { Self.count($0, unit) }
        self.init(unit == .percent ? min(done, 100) : done, of: unit == .percent ? 100 : all, unit: unit)
    }

    private static func count(_ text: String, _ unit: Unit) -> Int64? {
        guard text.utf8.count <= 40 else { return nil }
        let plain = text.filter { !$0.isWhitespace && $0 != "," && $0 != "_" && $0 != "'" }
        let digits = plain.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else { return nil }
        let factor: Double
        switch (unit, plain.dropFirst(digits.count).lowercased()) {
        case (_, ""), (.percent, "%"), (.bytes, "b"): factor = 1
        case (.bytes, "k"), (.bytes, "kb"), (.bytes, "kib"): factor = 1_024
        case (.bytes, "m"), (.bytes, "mb"), (.bytes, "mib"): factor = 1_048_576
        case (.bytes, "g"), (.bytes, "gb"), (.bytes, "gib"): factor = 1_073_741_824
        case (.bytes, "t"), (.bytes, "tb"), (.bytes, "tib"): factor = 1_099_511_627_776
        default: return nil
        }
        return Int64(exactly: (number * factor).rounded(.down)) ?? Int64.max
    }
}
