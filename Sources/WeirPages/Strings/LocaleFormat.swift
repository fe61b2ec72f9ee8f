import WeirJournals
import WeirStates

/// Writes numbers, sizes, durations and moments as a locale does, by the strings `format.…` of its table.
///
/// The system's own locale data is not asked: two machines write the same bytes.
struct LocaleFormat: Sendable {
    let decimal: String
    let group: String
    let months: [String]
    /// A date with `{day}`, `{month}`, `{year}` and `{clock}`.
    let date: String
    /// The same without a zone.
    let local: String
    /// A day with `{day}` and `{month}`.
    let day: String
    /// How moments are said that are just passing, have passed and are to come, with `{time}`.
    private let relative: (now: String, past: String, future: String)
    /// The moment that the page is of, from which others are counted; nil where pages are of no moment.
    var now: Timestamp?

    init(_ text: (String) -> String?) {
        decimal = text("format.decimal") ?? "."
        group = text("format.group") ?? ","
        months = (text("format.months") ?? "1 2 3 4 5 6 7 8 9 10 11 12").split(separator: " ").map(String.init)
        date = text("format.date") ?? "{year}-{month}-{day} {clock} UTC"
        local = text("format.local") ?? "{year}-{month}-{day} {clock}"
        day = text("format.day") ?? "{month}-{day}"
        relative = (
            text("time.now") ?? "now", text("time.ago") ?? "{time} ago", text("time.in") ?? "in {time}"
        )
    }

    /// A whole number in groups of three.
    func integer(_ place: SequenceNumber) -> String { integer(place.rawValue) }

    func integer(_ value: Int64) -> String {
        var digits = Array(String(value.magnitude))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(contentsOf: group, at: index)
            index -= 3
        }
        return (value < 0 ? "\u{2212}" : "") + String(digits)
    }

    /// A number with a number of decimals; beyond what fits, in Swift's own format.
    func number(_ value: Double, decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (value.magnitude * scale).rounded()
        guard scaled < 9e15 else { return String(value) }
        let units = Int64(clamping: scaled)
        let whole = integer(units / Int64(clamping: scale))
        let sign = value < 0 && units > 0 ? "\u{2212}" : ""
        guard decimals > 0 else { return sign + whole }
        let rest = String(units % Int64(clamping: scale))
        return sign + whole + decimal + String(repeating: "0", count: max(0, decimals - rest.count)) + rest
    }

    /// A number with as many decimals as it has, at most three.
    func number(_ value: Double) -> String {
        let decimals = (0...3).first { decimals in
            let scale = [1.0, 10, 100, 1_000][decimals]
            return (value * scale).rounded() == value * scale
        }
        return number(value, decimals: decimals ?? 3)
    }

    /// A part of 1 in hundredths, cut and not rounded, so that 100 % means done.
    func percent(_ fraction: Double) -> String {
        integer(Int64(clamping: (min(max(fraction, 0), 1_000) * 100 + 1e-9).rounded(.down))) + "\u{A0}%"
    }

    /// A number of bytes in decimal units.
    func bytes(_ value: Double) -> String {
        var rest = value.magnitude
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        while rest >= 999.5, unit < units.count - 1 {
            rest /= 1_000
            unit += 1
        }
        let text = number(rest, decimals: unit == 0 || rest >= 99.95 ? 0 : 1)
        return (value < 0 ? "\u{2212}" : "") + text + "\u{A0}" + units[unit]
    }

    /// A duration in milliseconds, in one or two units.
    func duration(_ milliseconds: Int64) -> String {
        let value = max(0, milliseconds)
        switch value {
        case ..<1_000: return "\(value)\u{A0}ms"
        case ..<59_950: return number(Double(value) / 1_000, decimals: 1) + "\u{A0}s"
        default: return duration(seconds: value / 1_000 + (value % 1_000 < 500 ? 0 : 1))
        }
    }

    private func duration(seconds: Int64) -> String {
        switch seconds {
        case ..<3_600: "\(seconds / 60)\u{A0}min \(seconds % 60)\u{A0}s"
        case ..<86_400: "\(seconds / 3_600)\u{A0}h \(seconds / 60 % 60)\u{A0}min"
        default: "\(integer(seconds / 86_400))\u{A0}d \(seconds / 3_600 % 24)\u{A0}h"
        }
    }

    /// How long ago a moment was, in its largest unit, as `Public/page/times.js` says it; in full where pages are of no moment.
    func ago(_ moment: Timestamp) -> String {
        guard let now else { return exact(moment) }
        let distance = now - moment
        let size = Self.units.first { Int64(clamping: distance.magnitude) >= $0.size } ?? (1_000, "s")
        let count = Int64(clamping: distance.magnitude) / size.size
        guard count > 0 else { return relative.now }
        return (distance > 0 ? relative.past : relative.future).filled { name in
            name == "time" ? "\(count)\u{A0}\(size.name)" : nil
        }
    }

    /// How long something has lasted, in whole seconds, in its two largest units.
    func elapsed(since moment: Timestamp) -> String {
        let time = max(0, (now ?? moment) - moment)
        return time < 60_000 ? "\(time / 1_000)\u{A0}s" : duration(seconds: time / 1_000)
    }

    private static let units: [(size: Int64, name: String)] = [
        (86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"),
    ]

    /// A moment in full, in UTC.
    func exact(_ moment: Timestamp) -> String { written(moment, as: date, CivilTime(moment).clock) }

    /// The day of a moment, in UTC, without its year.
    func day(_ moment: Timestamp) -> String { written(moment, as: day, "") }

    /// What a clock on a wall shows, given as if it were UTC: without seconds on the full minute.
    func local(_ moment: Timestamp) -> String {
        let clock = CivilTime(moment).clock
        return written(moment, as: local, clock.hasSuffix(":00") ? String(clock.prefix(5)) : clock)
    }

    private func written(_ moment: Timestamp, as pattern: String, _ clock: String) -> String {
        let time = CivilTime(moment)
        return pattern.filled { name in
            switch name {
            case "day": String(time.day)
            // Never traps: the place was just looked for.
            case "month": months.indices.contains(time.month - 1) ? months[time.month - 1] : String(time.month)
            case "year": String(time.year)
            case "clock": clock
            default: nil
            }
        }
    }
}
