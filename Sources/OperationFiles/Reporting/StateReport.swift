import States

/// What a program says about where it is: a state, values and a progress, as far as it says each.
///
/// A program says it in a line that it prints, `::weir uploading completed=40 total=100 unit=bytes file=a.bin::`, or in a
/// line of JSON in the pipe named by `WEIR_STATES`, `{"state": "uploading", "completed": 40, "total": 100}`. Neither can
/// say how the run ends: programs print what strangers sent.
struct StateReport: Sendable, Hashable {
    /// The longest line that is read, in bytes.
    static let maximumBytes = 4_096
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
    init?(line: String) {
        guard line.utf8.first == UInt8(ascii: ":"), line.utf8.count <= Self.maximumBytes, line.hasPrefix("::weir ")
        else { return nil }
        let trimmed = Substring(line).trimmingSpaces
        guard trimmed.hasSuffix("::"), trimmed.utf8.count > 9 else { return nil }
        var words = Words(trimmed.dropFirst(7).dropLast(2))
        while let (name, value) = words.next() {
            if let value {
                guard set(name, .string(value)) else { return nil }
            } else {
                guard state == nil, CommandState.isFree(name) else { return nil }
                state = name
            }
        }
        guard !words.isWrong, state != nil || !isEmpty else { return nil }
    }

    /// Reads a line of JSON; nil if it is none, or none of a report.
    init?(json line: String) {
        guard line.utf8.count <= Self.maximumBytes, let members = try? JSONValue(parsing: line).object else {
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

    /// The words of a printed line: names, and names with values, which can stand in quotes.
    private struct Words {
        private var rest: Substring
        private(set) var isWrong = false

        init(_ text: some StringProtocol) { rest = Substring(text) }

        mutating func next() -> (name: String, value: String?)? {
            rest = rest.drop { $0 == " " }
            guard !rest.isEmpty else { return nil }
            let name = rest.prefix { $0 != " " && $0 != "=" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { return (String(name), nil) }
            rest = rest.dropFirst()
            guard rest.first == "\"" else {
                let value = rest.prefix { $0 != " " }
                rest = rest.dropFirst(value.count)
                return (String(name), String(value))
            }
            return quoted().map { (String(name), $0) }
        }

        private mutating func quoted() -> String? {
            var value = ""
            var isEscaped = false
            rest = rest.dropFirst()
            while let character = rest.popFirst() {
                if isEscaped {
                    value.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    return value
                } else {
                    value.append(character)
                }
            }
            isWrong = true
            return nil
        }
    }
}
