extension PageWriter {
    /// A reading of the system page: its value, how near its limit is, and a line of its last day.
    func reading(_ reading: SystemFacts.Reading) -> Fields {
        let known = reading.parts.compactMap(\.self)
        let line = DayLine(reading.parts)
        let words = known.min().map { least in
            strings(
                .dayRange,
                ["least": text(least, like: reading.value), "most": text(known.max() ?? least, like: reading.value)])
        }
        return [
            "label": strings.optional("system.\(reading.name)") ?? Humanized(reading.name).text,
            "text": text(of: reading.value), "line": line.line, "area": line.area, "width": DayLine.width,
            "height": DayLine.height, "words": words,
            "limit": reading.limit.flatMap(text).map { limit in
                strings(.ofLimit, ["limit": limit, "share": reading.share.map(format.percent) ?? ""])
            },
            "isNear": (reading.share ?? 0) >= 0.8,
            "end": reading.end.map { strings(.fullAbout, ["day": format.day($0)]) },
        ]
    }

    private func text(_ value: Double, like kind: SystemFacts.Fact.Value) -> String {
        let whole = Int64(exactly: value.rounded()) ?? 0
        let similar: SystemFacts.Fact.Value =
            switch kind {
            case .bytes: .bytes(whole)
            case .duration: .duration(whole)
            case .fraction: .fraction(value)
            default: .count(whole)
            }
        return text(of: similar) ?? ""
    }
}

/// The paths of a line and of the area below it, for values from 0 to the largest.
struct DayLine {
    static let width = 288
    static let height = 32
    private static let margin = 2.0

    let line: String
    let area: String

    init(_ values: [Double?]) {
        let most = max(values.compactMap(\.self).max() ?? 0, .leastNormalMagnitude)
        let step = Double(Self.width) / Double(max(1, values.count - 1))
        let room = Double(Self.height) - 2 * Self.margin
        var (line, area) = ("", "")
        var begin: String?
        var last = ""
        func close() {
            if let begin, !last.isEmpty { area += "L\(last) \(Self.height)L\(begin) \(Self.height)Z" }
            begin = nil
        }
        for (index, value) in values.enumerated() {
            guard let value else {
                close()
                continue
            }
            let x = Self.number(Double(index) * step)
            let point = "\(x) \(Self.number(Self.margin + room * (1 - max(0, value) / most)))"
            line += begin == nil ? "M\(point)" : "L\(point)"
            // A single point is a short line, also at the right edge.
            if begin == nil { line += "h-2h2" }
            area += begin == nil ? "M\(point)" : "L\(point)"
            begin = begin ?? x
            last = x
        }
        close()
        (self.line, self.area) = (line, area)
    }

    private static func number(_ value: Double) -> String { NumberValue.plain((value * 10).rounded() / 10) }
}
