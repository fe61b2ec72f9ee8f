import WeirJournals
import WeirStates

/// The language of pages and its number format: a BCP 47 tag such as `en` or `pt-BR`.
///
/// The files in `Templates/strings` determine the available locales; an overlay can add more.
package struct PageLocale: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The tag in canonical case, such as `pt-BR`.
    package let tag: String

    /// English, the fallback for every string.
    package static let english = PageLocale(canonical: "en")
    static let brazilianPortuguese = PageLocale(canonical: "pt-BR")

    private init(canonical tag: String) { self.tag = tag }

    /// Parses a language tag with an optional region, in any case; returns nil for anything else.
    package init?(_ tag: some StringProtocol) {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in part.utf8.allSatisfy { $0 < 128 } && part.allSatisfy(\.isLetter) }
        guard isPlain, let language = parts.first, (2...3).contains(language.count), parts.count <= 2 else {
            return nil
        }
        guard parts.count == 2 else {
            self.init(canonical: language.lowercased())
            return
        }
        guard parts[1].count == 2 else { return nil }
        self.init(canonical: language.lowercased() + "-" + parts[1].uppercased())
    }

    package var description: String { tag }

    /// The language alone, such as `pt`.
    var language: String { String(tag.prefix { $0 != "-" }) }

    package static func < (left: PageLocale, right: PageLocale) -> Bool { left.tag < right.tag }
}

/// Formats numbers, sizes, durations and moments for a locale, by the strings `format.…` of its table.
///
/// The system's locale data is not used, so all machines write the same bytes.
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
    /// The patterns of relative times at present, in the past and in the future, with `{time}`.
    private let relative: (now: String, past: String, future: String)
    /// The moment of the page, to which relative times refer; nil for pages without one.
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

    /// Formats a number with a number of decimals; numbers beyond 9e15 in Swift's own format.
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

    /// Formats a number with as few decimals as it needs, at most three.
    func number(_ value: Double) -> String {
        let decimals = (0...3).first { decimals in
            let scale = [1.0, 10, 100, 1_000][decimals]
            return (value * scale).rounded() == value * scale
        }
        return number(value, decimals: decimals ?? 3)
    }

    /// Formats a fraction as a percentage, rounded down, so that 100 % means done.
    func percent(_ fraction: Double) -> String {
        integer(Int64(clamping: (min(max(fraction, 0), 1_000) * 100 + 1e-9).rounded(.down))) + "\u{A0}%"
    }

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

    /// Formats a duration in milliseconds, in one or two units.
    func duration(_ milliseconds: Int64) -> String {
        let value = max(0, milliseconds)
        switch value {
        case ..<1_000: return "\(value)\u{A0}ms"
        case ..<59_950: return number(Double(value) / 1_000, decimals: 1) + "\u{A0}s"
        default: return duration(seconds: value / 1_000 + (value % 1_000 < 500 ? 0 : 1))
        }
    }

    /// A duration of whole hours, in days if it is one of whole days.
    func wholeHours(_ hours: Int64) -> String {
        hours.isMultiple(of: 24) ? "\(integer(hours / 24))\u{A0}d" : "\(integer(hours))\u{A0}h"
    }

    private func duration(seconds: Int64) -> String {
        switch seconds {
        case ..<3_600: "\(seconds / 60)\u{A0}min \(seconds % 60)\u{A0}s"
        case ..<86_400: "\(seconds / 3_600)\u{A0}h \(seconds / 60 % 60)\u{A0}min"
        default: "\(integer(seconds / 86_400))\u{A0}d \(seconds / 3_600 % 24)\u{A0}h"
        }
    }

    /// The distance of a moment from `now` in its largest unit, as in `Public/page/times.js`; the full moment if `now` is
    /// nil.
    func ago(_ moment: Timestamp) -> String {
        guard let now else { return exact(moment) }
        let distance = now - moment
        // Fewer than three hours or days ahead are written in the next unit: what expires in 109 min does not in 2 h.
        let size =
            Self.units.first { size, _ in
                Int64(clamping: distance.magnitude) >= (distance < 0 && size > 60_000 ? 3 * size : size)
            } ?? (1_000, "s")
        // The time left is rounded: a link for a day expires in 24 h, not in 23 h.
        let half = distance < 0 && size.size > 1_000 ? size.size / 2 : 0
        let count = (Int64(clamping: distance.magnitude) &+ half) / size.size
        guard count > 0 else { return relative.now }
        return (distance > 0 ? relative.past : relative.future).filled { name in
            name == "time" ? "\(count)\u{A0}\(size.name)" : nil
        }
    }

    /// The time since a moment in whole seconds, in its two largest units.
    func elapsed(since moment: Timestamp) -> String {
        let time = max(0, (now ?? moment) - moment)
        return time < 60_000 ? "\(time / 1_000)\u{A0}s" : duration(seconds: time / 1_000)
    }

    private static let units: [(size: Int64, name: String)] = [
        (86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"),
    ]

    func exact(_ moment: Timestamp) -> String { written(moment, as: date, CivilTime(moment).clock) }

    func day(_ moment: Timestamp) -> String { written(moment, as: day, "") }

    /// A wall clock time that is given as if it were UTC, without seconds on the full minute.
    func local(_ moment: Timestamp) -> String {
        let clock = CivilTime(moment).clock
        return written(moment, as: local, clock.hasSuffix(":00") ? String(clock.prefix(5)) : clock)
    }

    private func written(_ moment: Timestamp, as pattern: String, _ clock: String) -> String {
        let time = CivilTime(moment)
        return pattern.filled { name in
            switch name {
            case "day": String(time.day)
            // Never traps: the index was just checked.
            case "month": months.indices.contains(time.month - 1) ? months[time.month - 1] : String(time.month)
            case "year": String(time.year)
            case "clock": clock
            default: nil
            }
        }
    }
}

/// The date and time of a moment in UTC, computed without the system's calendar, for speed and equal results on all
/// machines.
struct CivilTime {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    let millisecond: Int

    init(_ moment: Timestamp) {
        let (days, rest) = Self.floored(moment.milliseconds, by: 86_400_000)
        hour = Int(clamping: rest / 3_600_000)
        minute = Int(clamping: rest / 60_000 % 60)
        second = Int(clamping: rest / 1_000 % 60)
        millisecond = Int(clamping: rest % 1_000)
        // Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, civil_from_days: years begin in March.
        let shifted = Int(clamping: days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var iso: String {
        "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))T\(clock).\(Self.padded(millisecond, 3))Z"
    }

    var clock: String { "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))" }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (value % divisor + divisor) % divisor
        return ((value - rest) / divisor, rest)
    }

    private static func padded(_ value: Int, _ width: Int = 2) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
