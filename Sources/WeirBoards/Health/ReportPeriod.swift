package import Foundation
package import WeirJournals

extension TimeZone {
    /// The name for people, which settings accept.
    package var name: String { self == .gmt ? "UTC" : identifier }
}

/// A period of the calendar in a time zone, with whole days.
package enum ReportPeriod: String, Sendable, CaseIterable {
    /// Saturday and Sunday before the current week.
    case weekend
    /// Monday to Sunday before the current week.
    case week
    /// The thirty days before today, and today so far.
    case month

    /// The beginning and the end, which is not included.
    package func bounds(at now: Timestamp, in zone: TimeZone) -> (from: Timestamp, to: Timestamp) {
        let today = Self.midnight(daysAgo: 0, at: now, in: zone)
        let weekday = Self.calendar(zone).component(.weekday, from: today.date)
        let sinceMonday = (weekday + 5) % 7
        let day = { Self.midnight(daysAgo: $0, at: now, in: zone) }
        return switch self {
        case .weekend: (day(sinceMonday + 2), day(sinceMonday))
        case .week: (day(sinceMonday + 7), day(sinceMonday))
        case .month: (day(30), now)
        }
    }

    /// The seven whole days before the day of a moment.
    package static func week(before moment: Timestamp, in zone: TimeZone) -> (from: Timestamp, to: Timestamp) {
        (midnight(daysAgo: 7, at: moment, in: zone), midnight(daysAgo: 0, at: moment, in: zone))
    }

    private static func midnight(daysAgo days: Int, at now: Timestamp, in zone: TimeZone) -> Timestamp {
        let calendar = calendar(zone)
        let today = calendar.startOfDay(for: now.date)
        let day = calendar.date(byAdding: .day, value: -days, to: today) ?? today
        return Timestamp(calendar.startOfDay(for: day))
    }

    private static func calendar(_ zone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }
}
