import WeirStates

/// One line that shows a state and how far it has come, no wider than the terminal.
///
/// ```
/// uploading  [█████████░░░░░░░░░░░]  45 %  4.5 MB of 10.0 MB  file=a.bin
/// ```
/// Pure.
package struct Gauge: Sendable {
    private static let barWidth = 20
    private let columns: Int

    /// Draws for a terminal of so many columns; the last stays free, so that no terminal wraps the line.
    package init(columns: Int) { self.columns = max(columns, 20) }

    package func line(_ change: RunChange) -> String {
        var parts = [mark(change.phase) + VisibleText.line(change.state)]
        if let percent = ChangeText.percent(change.progress), !change.phase.isEnded {
            if columns >= 60 { parts.append(bar(percent)) }
            parts.append(String(repeating: " ", count: max(0, 3 - String(percent).count)) + "\(percent) %")
        }
        let amount = ChangeText.amount(change.progress)
        if !amount.isEmpty, change.progress?.unit != .percent, !change.phase.isEnded { parts.append(amount) }
        let details = ChangeText.details(change.payload)
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
