package import WeirStates

/// What `weir watch` writes for each change: on a terminal a gauge for the present state below the lines of those before it,
/// otherwise plain lines, or one JSON text a line.
///
/// Pure.
package struct WatchView: Sendable {
    /// How changes are shown.
    package enum Style: Sendable, Hashable {
        /// A gauge on a terminal of so many columns.
        case gauge(columns: Int)
        /// A line for each state, and for each tenth of its way.
        case plain
        /// Every change as JSON.
        case json
    }

    private let style: Style
    /// Whether a line stands on the terminal that is not ended yet.
    private var isOpen = false
    /// How many tenths of its way the present state has come.
    private var tenths = 0

    package init(_ style: Style) { self.style = style }

    /// What to write for a message of the run's stream; empty for nothing.
    package mutating func text(for message: JSONValue) -> String {
        if style == .json { return ((try? message.text()) ?? "null") + "\n" }
        guard let change = RunChange(message) else { return "" }
        return switch style {
        case .gauge(let columns): drawn(change, columns: columns)
        case .plain, .json: plain(change)
        }
    }

    /// What to write before anything else is written to the terminal.
    package mutating func interruption() -> String {
        defer { isOpen = false }
        return isOpen ? "\n" : ""
    }

    private mutating func drawn(_ change: RunChange, columns: Int) -> String {
        var text = ""
        if isOpen { text += change.isTransition ? "\n" : "\r" }
        // What was longer before is cleared up to the end of the line.
        text += Gauge(columns: columns).line(change) + "\u{1b}[K"
        isOpen = !change.phase.isEnded
        return isOpen ? text : text + "\n"
    }

    private mutating func plain(_ change: RunChange) -> String {
        let now = (ChangeText.percent(change.progress) ?? 0) / 10
        guard change.isTransition || now > tenths else { return "" }
        tenths = now
        var parts = [change.at, VisibleText.line(change.state)]
        if change.phase.isEnded, change.state != change.phase.rawValue { parts.append("(\(change.phase.rawValue))") }
        if let percent = ChangeText.percent(change.progress) { parts.append("\(percent) %") }
        let amount = ChangeText.amount(change.progress)
        if !amount.isEmpty, change.progress?.unit != .percent { parts.append(amount) }
        let details = ChangeText.details(change.payload)
        if !details.isEmpty { parts.append(details) }
        return parts.joined(separator: "  ") + "\n"
    }
}
