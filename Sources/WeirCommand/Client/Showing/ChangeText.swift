import WeirStates

/// What is said of a change, in words for one line.
enum ChangeText {
    /// How far the work has come: `4.5 MB of 10.0 MB`, `45 of 100`, `45 %`; empty where that is not known.
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

    /// The percent of the whole, rounded down; nil while the total is unknown.
    static func percent(_ progress: WorkProgress?) -> Int? {
        guard let progress else { return nil }
        if progress.unit == .percent, progress.total == nil { return Int(clamping: min(progress.completed, 100)) }
        return progress.fraction.map { Int(clamping: Int64(clamping: $0 * 100)) }
    }

    /// What the state holds: its message, else its values by name.
    static func details(_ payload: JSONValue) -> String {
        guard let members = payload.object else { return "" }
        for name in ["message", "note", "show"] {
            if let text = members[name]?.string, !text.isEmpty { return VisibleText.line(text) }
        }
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

    /// A number of bytes in the unit that leaves at most three digits before the point.
    static func bytes(_ count: Int64) -> String {
        guard count >= 1_000 else { return "\(count) B" }
        var (value, unit) = (Double(count), "B")
        for name in ["kB", "MB", "GB", "TB", "PB", "EB"] where value >= 999.95 { (value, unit) = (value / 1_000, name) }
        let tenths = Int64(clamping: (value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
