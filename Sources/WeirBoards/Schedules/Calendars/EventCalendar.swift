import Foundation

/// The events of an iCalendar file (RFC 5545), as the days that they take.
///
/// Repetitions count from 1970 to 2099. Parsing takes time in proportion to the text, plus at most `maximumPeriods` steps.
package struct EventCalendar: Sendable, Hashable {
    /// The maximum size of a file in bytes.
    package static let maximumBytes = 1_048_576
    /// The maximum number of events, with all repetitions.
    static let maximumEvents = 100_000
    /// The maximum number of days, weeks, months and years in which repetitions are searched for.
    static let maximumPeriods = 400_000
    static let known: ClosedRange<Int64> = 0...47_481

    /// A mistake, with its line, which starts at 1.
    package struct Mistake: Error, Sendable, Hashable {
        package let line: Int
        package let sentence: String
    }

    private let spans: [CalendarSpan]

    /// Parses a file.
    ///
    /// The mistakes do not quote it.
    package init(_ text: String) throws(Mistake) {
        var reader = CalendarReader()
        for line in CalendarLine.lines(of: text) { try reader.take(line) }
        spans = try reader.end()
    }

    /// The days since 1 January 1970 in a zone that an event takes, at least in part.
    func days(in zone: TimeZone) -> [ClosedRange<Int64>] { spans.map { $0.days(in: zone) } }
}

/// A line of an iCalendar file without its folds.
struct CalendarLine: Sendable, Hashable {
    let number: Int
    let name: String
    let parameters: [String: String]
    let value: String

    /// The unfolded lines; nil for a line without a name.
    static func lines(of text: String) -> [Result<CalendarLine, EventCalendar.Mistake>] {
        var lines: [(number: Int, text: [UInt8])] = []
        let text = text.unicodeScalars.first == "\u{FEFF}" ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
        let physical = Substring(text).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in physical.enumerated() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if let first = line.first, [UInt8(ascii: " "), UInt8(ascii: "\t")].contains(first), !lines.isEmpty {
                var folded = lines.removeLast()
                folded.text += line.dropFirst()
                lines.append(folded)
            } else if !line.isEmpty {
                lines.append((index + 1, Array(line)))
            }
        }
        return lines.map { line in
            CalendarLine(line.number, String(decoding: line.text, as: UTF8.self)).map { .success($0) }
                ?? .failure(
                    .init(line: line.number, sentence: "This is no line of a calendar: it has no name and colon."))
        }
    }

    private init?(_ number: Int, _ text: String) {
        var (parts, part): ([String], String) = ([], "")
        var isQuoted = false
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\"" {
                isQuoted.toggle()
            } else if scalar == ":", !isQuoted {
                parts.append(part)
                guard let name = parts.first, !name.isEmpty else { return nil }
                self.number = number
                self.name = name.uppercased()
                parameters = Dictionary(
                    parts.dropFirst().map { part in
                        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                        return (pair[0].uppercased(), pair.count > 1 ? String(pair[1]) : "")
                    }
                ) { first, _ in first }
                value = String(rest).trimmingCharacters(in: .whitespaces)
                return
            } else if scalar == ";", !isQuoted {
                parts.append(part)
                part = ""
            } else {
                part.unicodeScalars.append(scalar)
            }
        }
        return nil
    }

    func mistake(_ sentence: String) -> EventCalendar.Mistake { .init(line: number, sentence: sentence) }
}

/// Collects the events of a file, line by line.
private struct CalendarReader {
    private var open: [String] = []
    private var event: CalendarEvent?
    private var events: [CalendarEvent] = []
    private var hasCalendar = false
    private var last = 1

    mutating func take(_ line: Result<CalendarLine, EventCalendar.Mistake>) throws(EventCalendar.Mistake) {
        let line = try line.get()
        last = line.number
        switch line.name {
        case "BEGIN":
            let name = line.value.uppercased()
            if open.isEmpty, name != "VCALENDAR" {
                throw line.mistake("A calendar begins with BEGIN:VCALENDAR.")
            }
            guard open.count < 10 else { throw line.mistake("More than ten parts lie within each other.") }
            hasCalendar = true
            open.append(name)
            if open == ["VCALENDAR", "VEVENT"] { event = CalendarEvent(line: line) }
        case "END":
            guard open.popLast() == line.value.uppercased() else {
                throw line.mistake("This ends a part that has not begun.")
            }
            if open == ["VCALENDAR"], let ended = event {
                events.append(ended)
                event = nil
            }
        default:
            guard !open.isEmpty else { throw line.mistake("A calendar begins with BEGIN:VCALENDAR.") }
            if open.last == "VEVENT" { try event?.take(line) }
        }
    }

    func end() throws(EventCalendar.Mistake) -> [CalendarSpan] {
        guard open.isEmpty, hasCalendar else {
            throw .init(line: last, sentence: "The file ends before END:VCALENDAR, so a part of it is missing.")
        }
        guard !events.isEmpty else { throw .init(line: last, sentence: "The calendar has no event.") }
        // An event of a series that was moved replaces the one that the series has at that time.
        let moved = Dictionary(grouping: events.filter { $0.replaced != nil }, by: \.id)
        var budget = CalendarBudget()
        var spans: [CalendarSpan] = []
        for event in events where !event.isCancelled || event.replaced != nil {
            let others = event.replaced == nil ? (moved[event.id] ?? []).compactMap(\.replaced) : []
            let found = try event.spans(without: others, &budget)
            if !event.isCancelled { spans += found }
        }
        return spans
    }
}

/// The work that is left for the repetitions of a file.
struct CalendarBudget {
    var periods = EventCalendar.maximumPeriods
    var events = EventCalendar.maximumEvents
}
