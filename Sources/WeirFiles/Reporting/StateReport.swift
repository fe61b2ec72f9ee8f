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
    /// The names of invalid members, which are left out, each with the values that it accepts.
    private(set) var ignored: [String: String] = [:]

    init(state: String? = nil) { self.state = state }

    /// Parses a printed line, or returns nil for ordinary output.
    init?(line text: String) {
        guard let line = StateLine(text), line.state.map(CommandState.isFree) ?? true else { return nil }
        state = line.state
        for member in line.members { set(member.name, .string(member.value)) }
        // A printed line that is wrong in part may be none: it is shown as output.
        guard ignored.isEmpty, state != nil || !isEmpty else { return nil }
    }

    /// Parses a line of JSON, or returns nil if it is not a valid report.
    ///
    /// Secrets are masked before texts are shortened, which could cut one in two.
    init?(json line: String, mask: SecretMask = .none) {
        guard line.utf8.count <= StateLine.maximumBytes, let value = try? JSONValue(parsing: line, isLenient: true),
            let members = mask.masked(value).object
        else { return nil }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if name == "state" {
                if let text = value.string, CommandState.isFree(text) {
                    state = text
                } else {
                    ignore(name, "a name that begins with a letter, and none that every operation has")
                }
            } else if name == "values", let values = value.object {
                for (name, value) in values.sorted(by: { $0.key < $1.key }) { keep(name, value) }
            } else {
                set(name, value)
            }
        }
        guard state != nil || !isEmpty || !ignored.isEmpty else { return nil }
    }

    private var isEmpty: Bool { show == nil && values.isEmpty && completed == nil }

    private mutating func ignore(_ name: String, _ need: String) {
        guard ignored.count < Self.maximumValues else { return }
        ignored[String(name.prefix(40))] = need
    }

    /// Sets a member, or ignores it if it is invalid.
    private mutating func set(_ name: String, _ value: JSONValue) {
        switch name {
        case "show":
            guard let text = value.string else { return ignore(name, "text") }
            show = Self.shortened(text)
        case "completed", "total":
            let text = value.string ?? Self.digits(value)
            if text == nil, value != .null { ignore(name, "a number") }
            guard let text else { return }
            if name == "completed" { completed = text } else { total = text }
        case "unit":
            guard let unit = value.string.flatMap({ ProgressUnit(rawValue: $0) }) else {
                return ignore(name, "items, bytes or percent")
            }
            self.unit = unit
        default: keep(name, value)
        }
    }

    private static func digits(_ value: JSONValue) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    private mutating func keep(_ name: String, _ value: JSONValue) {
        guard Shape.isName(name, limit: 40) else {
            return ignore(name, "at most 40 letters, digits, hyphens and underscores long, beginning with a letter")
        }
        guard values.count < Self.maximumValues else {
            return ignore(name, "one of at most \(Self.maximumValues) values")
        }
        switch value {
        case .string(let text): values[name] = .string(Self.shortened(text))
        case .bool, .integer, .number: values[name] = value
        case .null: break
        case .array, .object: ignore(name, "text, a number, or true or false")
        }
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
