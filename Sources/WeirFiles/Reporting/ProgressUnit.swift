import WeirStates

/// What a program counts.
typealias ProgressUnit = WorkProgress.Unit

extension WorkProgress {
    /// Reads counts as programs print them: `1,234,567`, `45%`, `12.5M`.
    ///
    /// - Parameters:
    ///   - completed: What is done.
    ///   - total: How much there is; percent are out of 100.
    ///   - unit: What is counted.
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
