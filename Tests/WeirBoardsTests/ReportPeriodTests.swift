import Foundation
import Testing
import WeirJournals

@testable import WeirBoards

/// The periods of reports, as days of a time zone.
@Suite struct ReportPeriodTests {
    private func bounds(_ period: ReportPeriod, at now: String, in zone: String) throws -> [String] {
        let bounds = period.bounds(at: try #require(Timestamp(now)), in: try Schedule.zone(zone))
        return [bounds.from, bounds.to].map { String($0.description.prefix(16)) }
    }

    @Test func `weeks begin on the zone's Monday, also when its clock changes`() throws {
        let now = "2026-04-01T10:00:00Z"
        #expect(try bounds(.week, at: now, in: "UTC") == ["2026-03-23T00:00", "2026-03-30T00:00"])
        #expect(try bounds(.week, at: now, in: "Europe/Lisbon") == ["2026-03-23T00:00", "2026-03-29T23:00"])
        #expect(try bounds(.weekend, at: now, in: "Europe/Lisbon") == ["2026-03-28T00:00", "2026-03-29T23:00"])
        #expect(try bounds(.month, at: now, in: "Europe/Lisbon") == ["2026-03-02T00:00", "2026-04-01T10:00"])
    }

    @Test func `a moment that is Sunday in the zone and Monday in UTC belongs to the older week`() throws {
        let now = "2026-03-30T01:00:00Z"
        #expect(try bounds(.week, at: now, in: "America/Sao_Paulo") == ["2026-03-16T03:00", "2026-03-23T03:00"])
        #expect(try bounds(.week, at: now, in: "UTC") == ["2026-03-23T00:00", "2026-03-30T00:00"])
    }

    @Test(arguments: ["24:00", "7", "07:60", "07:0", "seven", "-1:00", "７:００"])
    func `a digest's time that is no time of day is refused`(text: String) {
        #expect(NotificationPeriod(digest: text) == nil)
    }

    @Test(arguments: ["08:00", "monday", "monday 8", "moonday 08:00", "m 08:00", "monday 08:00 UTC"])
    func `a report's time that is no time of the week is refused`(text: String) {
        #expect(NotificationPeriod(report: text) == nil)
    }

    @Test func `a report is due on its weekday at its time in the zone`() throws {
        let zone = try Schedule.zone("Europe/Lisbon")
        let start = try #require(Timestamp("2026-03-23T00:00:00Z"))
        let next = try ["monday 08:00", "mon 08:00", "Sunday 23:59"].map {
            try #require(NotificationPeriod(report: $0)).next(after: start, in: zone)?.description.prefix(16)
        }
        #expect(next == ["2026-03-23T08:00", "2026-03-23T08:00", "2026-03-29T22:59"])
    }
}
