import WeirStates

/// The output of `weir watch`: a live gauge on a terminal, otherwise plain lines, or JSON lines.
///
/// Pure.
struct WatchView: Sendable {
    enum Style: Sendable, Hashable {
        /// A gauge for the current state, below the final lines of the previous ones.
        case gauge(columns: Int, rows: Int = 24)
        /// A line per state, and per tenth of its progress.
        case plain
        case json
    }

    private let style: Style
    /// Whether the last line on the terminal is unterminated.
    private var isOpen = false
    private var tenths = 0
    private var steps: StepLines?
    /// The number of lines above the cursor that are drawn again.
    private var height = 0

    init(_ style: Style) { self.style = style }

    /// The output for a message of the run's stream, possibly empty.
    mutating func text(for message: JSONValue) -> String {
        if style == .json { return ((try? message.text()) ?? "null") + "\n" }
        guard let change = RunChange(message) else { return "" }
        return switch style {
        case .gauge(let columns, let rows): drawn(change, columns: columns, rows: rows)
        case .plain, .json: plain(change)
        }
    }

    private mutating func drawn(_ change: RunChange, columns: Int, rows: Int) -> String {
        let steps = StepLines(change.payload)
        if let steps, steps.steps.count + 1 < rows {
            let end = change.phase.isEnded ? [Gauge(columns: columns).line(change)] : []
            let lines = steps.lines(columns: columns) + end
            defer { height = lines.count }
            var text = height > 0 ? "\u{1b}[\(height)A\r" : isOpen ? "\n" : ""
            isOpen = false
            text += lines.map { $0 + "\u{1b}[K\n" }.joined()
            return text
        }
        // The steps of a graph that is taller than the terminal scroll as they change.
        let changes = steps?.changes(since: self.steps).map { VisibleText.cut($0, to: max(0, columns - 1)) } ?? []
        self.steps = steps
        var text = ""
        if isOpen { text += change.isTransition && steps == nil ? "\n" : "\r" }
        // Clears the rest of a longer previous line.
        text += changes.map { $0 + "\u{1b}[K\n" }.joined()
        text += Gauge(columns: columns).line(change) + "\u{1b}[K"
        isOpen = !change.phase.isEnded
        return isOpen ? text : text + "\n"
    }

    private mutating func plain(_ change: RunChange) -> String {
        let steps = StepLines(change.payload)
        let changes = (steps?.changes(since: self.steps) ?? []).map { "\(change.at)  \($0)\n" }.joined()
        self.steps = steps ?? self.steps
        // The state of a run of steps is the name of one of them.
        if steps != nil, !change.phase.isEnded { return changes }
        let now = (ChangeText.percent(change.progress) ?? 0) / 10
        guard change.isTransition || now > tenths else { return changes }
        tenths = now
        var parts = [change.at, VisibleText.line(change.state)]
        if change.phase.isEnded, change.state != change.phase.rawValue { parts.append("(\(change.phase.rawValue))") }
        if let percent = ChangeText.percent(change.progress) { parts.append("\(percent) %") }
        let amount = ChangeText.amount(change.progress)
        if !amount.isEmpty, change.progress?.unit != .percent { parts.append(amount) }
        let details = ChangeText.details(change)
        if !details.isEmpty { parts.append(details) }
        return changes + parts.joined(separator: "  ") + "\n"
    }
}

/// Formats a state and its progress as one line that fits the terminal.
///
/// ```
/// uploading  [█████████░░░░░░░░░░░]  45 %  4.5 MB of 10.0 MB  file=a.bin
/// ```
/// Pure.
struct Gauge: Sendable {
    private static let barWidth = 20
    private let columns: Int

    /// Creates a gauge that leaves the last column of the terminal free, because some terminals wrap there.
    init(columns: Int) { self.columns = max(columns, 20) }

    package func line(_ change: RunChange) -> String {
        let state = StepLines.title(of: change.state, in: change.payload)
        var parts = [mark(change.phase) + VisibleText.line(state)]
        if let percent = ChangeText.percent(change.progress), !change.phase.isEnded {
            if columns >= 60 { parts.append(bar(percent)) }
            parts.append(String(repeating: " ", count: max(0, 3 - String(percent).count)) + "\(percent) %")
        }
        let amount = ChangeText.amount(change.progress)
        if !amount.isEmpty, change.progress?.unit != .percent, !change.phase.isEnded { parts.append(amount) }
        let details = ChangeText.details(change)
        if !details.isEmpty { parts.append(details) }
        return VisibleText.cut(parts.joined(separator: "  "), to: max(0, columns - 1))
    }

    private func bar(_ percent: Int) -> String {
        let filled = min(max(percent, 0), 100) * Self.barWidth / 100
        let full = String(repeating: "█", count: max(0, filled))
        return "[" + full + String(repeating: "░", count: max(0, Self.barWidth - filled)) + "]"
    }

    private func mark(_ phase: Phase) -> String {
        switch phase {
        case .idle, .active: "  "
        case .succeeded: "✓ "
        case .failed: "✕ "
        case .cancelled, .interrupted: "◌ "
        }
    }
}

enum ChangeText {
    /// The amount of progress: `4.5 MB of 10.0 MB`, `45 of 100`, `45 %`; empty if unknown.
    static func amount(_ progress: WorkProgress?) -> String {
        guard let progress else { return "" }
        switch (progress.unit, progress.total) {
        case (.percent, _): return "\(progress.completed) %"
        case (.items, nil): return "\(progress.completed)"
        case (.items, let total?): return "\(progress.completed) of \(total)"
        case (.bytes, nil): return bytes(progress.completed)
        case (.bytes, let total?): return "\(bytes(progress.completed)) of \(bytes(total))"
        }
    }

    /// The percentage, rounded down, or nil if the total is unknown.
    static func percent(_ progress: WorkProgress?) -> Int? {
        guard let progress else { return nil }
        if progress.unit == .percent, progress.total == nil { return Int(clamping: min(progress.completed, 100)) }
        return progress.fraction.map { Int(clamping: Int64(clamping: $0 * 100)) }
    }

    /// The message of the state, or else its members by name, and then the values that a program reported with it.
    ///
    /// The counts of the progress are left out, because ``amount(_:)`` has them.
    static func details(_ change: RunChange) -> String {
        guard var members = change.payload.object else { return "" }
        let values = members.removeValue(forKey: "values")
        if change.progress != nil { for name in ["completed", "total", "unit"] { members[name] = nil } }
        let message = ["message", "note", "show"].lazy.compactMap { members[$0]?.string }.first { !$0.isEmpty }
        let parts = [message.map(VisibleText.line) ?? named(members), named(values?.object ?? [:])]
        return parts.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func named(_ members: [String: JSONValue]) -> String {
        let parts = members.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            switch value {
            case .string(let text): "\(VisibleText.line(name))=\(VisibleText.line(text))"
            case .integer(let number): "\(VisibleText.line(name))=\(number)"
            case .number(let number): "\(VisibleText.line(name))=\(number)"
            case .bool(let flag): "\(VisibleText.line(name))=\(flag)"
            case .null, .array, .object: nil
            }
        }
        return parts.joined(separator: " ")
    }

    /// A duration in milliseconds, as `164 ms`, `2.1 s`, `3 min 5 s` or `2 h 4 min`.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = max(milliseconds, 0) / 1_000
        return switch seconds {
        case 0: "\(max(milliseconds, 0)) ms"
        case 1..<60: "\(seconds).\(milliseconds / 100 % 10) s"
        case 60..<3_600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        }
    }

    /// A number of bytes in the unit that leaves at most three digits before the decimal point.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1_000 else { return "\(count) B" }
        var (value, unit) = (Double(count), "B")
        for name in ["kB", "MB", "GB", "TB", "PB", "EB"] where value >= 999.95 { (value, unit) = (value / 1_000, name) }
        let tenths = Int64(clamping: (value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}

/// A change of a run, from the run's stream.
struct RunChange: Sendable, Hashable {
    let state: String
    let phase: Phase
    let progress: WorkProgress?
    let payload: JSONValue
    /// The time in ISO 8601 and UTC.
    let at: String
    /// Whether the name or the phase of the state differs from the previous ones.
    let isTransition: Bool

    init(
        state: String, phase: Phase = .active, progress: WorkProgress? = nil, payload: JSONValue = [:], at: String = "",
        isTransition: Bool = true
    ) {
        self.state = state
        self.phase = phase
        self.progress = progress
        self.payload = payload
        self.at = at
        self.isTransition = isTransition
    }

    /// Parses a message of the stream; nil if it is not a change of a run.
    init?(_ message: JSONValue) {
        guard let name = message["case"]?.string, let phase = message["phase"]?.string.flatMap(Phase.init(rawValue:))
        else { return nil }
        self.init(
            state: name, phase: phase, progress: message["progress"].flatMap(WorkProgress.init(told:)),
            payload: message["state"] ?? [:], at: message["at"]?.string ?? "",
            isTransition: message["transition"]?.bool ?? true)
    }

    /// The exit code of the outcome: 0 succeeded, 1 failed, 2 cancelled, 3 interrupted; nil while the run is active.
    var exitCode: Int32? {
        switch phase {
        case .idle, .active: nil
        case .succeeded: 0
        case .failed: 1
        case .cancelled: 2
        case .interrupted: 3
        }
    }
}

extension WorkProgress {
    /// Parses the API's representation of progress; nil for null and invalid values.
    init?(told: JSONValue) {
        guard let completed = told["completed"]?.integer else { return nil }
        self.init(
            completed, of: told["total"]?.integer,
            unit: told["unit"]?.string.flatMap(Unit.init(rawValue:)) ?? .items)
    }
}
