import Foundation
import Testing
import WeirJournals

@testable import WeirBoards

/// iCalendar files as days of a schedule.
struct EventCalendarTests {
    private static func calendar(_ events: String...) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0"] + events.map { "BEGIN:VEVENT\n\($0)\nEND:VEVENT" } + ["END:VCALENDAR", ""])
            .joined(separator: "\n")
    }

    private func days(_ text: String, in zone: String = "UTC") throws -> [String] {
        let calendar = try EventCalendar(text)
        let zone = try #require(TimeZone(identifier: zone))
        return calendar.days(in: zone).map { range in
            let words = [range.lowerBound, range.upperBound].map { day in
                String(Timestamp(milliseconds: day * 86_400_000).description.prefix(10))
            }
            return range.count == 1 ? words[0] : words.joined(separator: "..")
        }
    }

    @Test func `a calendar of holidays as services export it has the days of its events`() throws {
        let text = """
            BEGIN:VCALENDAR\r
            PRODID:-//Google Inc//Google Calendar 70.9054//EN\r
            VERSION:2.0\r
            X-WR-CALNAME:Holidays in Portugal\r
            X-WR-TIMEZONE:UTC\r
            BEGIN:VTIMEZONE\r
            TZID:Europe/Lisbon\r
            BEGIN:STANDARD\r
            DTSTART:19701025T020000\r
            RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r
            TZOFFSETFROM:+0100\r
            TZOFFSETTO:+0000\r
            END:STANDARD\r
            END:VTIMEZONE\r
            BEGIN:VEVENT\r
            DTSTART;VALUE=DATE:20261208\r
            DTEND;VALUE=DATE:20261209\r
            UID:20261208_a@google.com\r
            SUMMARY:Imaculada Concei\r
             ção: feriado\\, nacional\r
            TRANSP:TRANSPARENT\r
            BEGIN:VALARM\r
            TRIGGER:-PT15M\r
            DURATION:PT5M\r
            END:VALARM\r
            END:VEVENT\r
            BEGIN:VEVENT\r
            DTSTART;VALUE=DATE:20261224\r
            DTEND;VALUE=DATE:20261227\r
            UID:b\r
            END:VEVENT\r
            BEGIN:VEVENT\r
            DTSTART;VALUE=DATE:20261231\r
            STATUS:CANCELLED\r
            END:VEVENT\r
            END:VCALENDAR\r

            """
        #expect(try days(text) == ["2026-12-08", "2026-12-24..2026-12-26"])
        #expect(try days("\u{FEFF}" + text, in: "Pacific/Auckland") == ["2026-12-08", "2026-12-24..2026-12-26"])
    }

    @Test func `an event with times takes the days of the schedule's zone that it touches`() throws {
        let night = Self.calendar(
            "DTSTART;TZID=Europe/Lisbon:20261030T220000\nDTEND;TZID=Europe/Lisbon:20261031T020000")
        #expect(try days(night, in: "Europe/Lisbon") == ["2026-10-30..2026-10-31"])
        #expect(try days(night, in: "America/New_York") == ["2026-10-30"])
        let path = "/freeassociation.sourceforge.net/America/Sao_Paulo"
        let evening = Self.calendar("DTSTART;TZID=\"\(path)\":20261030T210000\nDURATION:PT2H30M")
        #expect(try days(evening) == ["2026-10-31"])
        #expect(try days(evening, in: "America/Sao_Paulo") == ["2026-10-30"])
        // A time without a zone is one of the schedule's zone, and midnight belongs to the day that ends.
        let floating = Self.calendar("DTSTART:20261030T090000\nDTEND:20261031T000000")
        for zone in ["UTC", "Asia/Tokyo"] { #expect(try days(floating, in: zone) == ["2026-10-30"]) }
        #expect(try days(Self.calendar("DTSTART:20261030T235900Z"), in: "Asia/Tokyo") == ["2026-10-31"])
    }

    // The expected days are those of dateutil 2.9.
    @Test(arguments: [
        ("20260601", "FREQ=DAILY;INTERVAL=3;COUNT=3", ["2026-06-01", "2026-06-04", "2026-06-07"]),
        (
            "20260601", "FREQ=WEEKLY;BYDAY=MO,FR;UNTIL=20260612",
            ["2026-06-01", "2026-06-05", "2026-06-08", "2026-06-12"]
        ),
        ("20260607", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU;COUNT=3", ["2026-06-07", "2026-06-08", "2026-06-21"]),
        ("20260131", "FREQ=MONTHLY;COUNT=3", ["2026-01-31", "2026-03-31", "2026-05-31"]),
        ("20260131", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("20260102", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1;COUNT=2", ["2026-01-02", "2026-02-02"]),
        ("20240229", "FREQ=YEARLY;COUNT=2", ["2024-02-29", "2028-02-29"]),
        ("20260525", "FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=3", ["2026-05-25", "2027-05-31", "2028-05-29"]),
        ("20261126", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20280101T000000Z", ["2026-11-26", "2027-11-25"]),
        ("20260213", "FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR;COUNT=3", ["2026-02-13", "2026-03-13", "2026-11-13"]),
    ])
    func `an event is repeated by its rule`(start: String, rule: String, expected: [String]) throws {
        #expect(try days(Self.calendar("DTSTART;VALUE=DATE:\(start)\nRRULE:\(rule)")) == expected)
    }

    @Test func `a series has further days, and not the excluded, cancelled and moved ones`() throws {
        let series = "UID:a\nDTSTART;TZID=Europe/Berlin:20261005T080000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=5"
        let text = Self.calendar(
            series + "\nEXDATE;TZID=Europe/Berlin:20261012T080000\nRDATE:20261107T070000Z",
            "UID:a\nRECURRENCE-ID:20261019T060000Z\nDTSTART;TZID=Europe/Berlin:20261021T080000",
            "UID:a\nRECURRENCE-ID;VALUE=DATE:20261026\nDTSTART:20261026T070000Z\nSTATUS:CANCELLED")
        #expect(
            try days(text, in: "Europe/Berlin") == ["2026-10-05", "2026-11-02", "2026-11-07", "2026-10-21"])
    }

    @Test(arguments: [
        ("", 1, "A calendar begins with BEGIN:VCALENDAR.|The file ends before END:VCALENDAR"),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\n", 2, "The file ends before END:VCALENDAR"),
        ("BEGIN:VCALENDAR\nEND:VCALENDAR\n", 2, "The calendar has no event."),
        ("<html>\n", 1, "This is no line of a calendar"),
        ("BEGIN:VCARD\n", 1, "A calendar begins with BEGIN:VCALENDAR."),
        (calendar("DTSTART;VALUE=DATE:20260230"), 4, "There is no such day."),
        (calendar("DTSTART:2026-02-03"), 4, "This is no date such as 20261225"),
        (calendar("DTSTART;TZID=Mars/Olympus:20260203T100000"), 4, "The time zone is unknown."),
        (calendar("SUMMARY:x"), 3, "The event has no DTSTART."),
        (calendar("DTSTART:20260203T100000Z\nDTEND:20260203T090000Z"), 3, "ends before it begins"),
        (calendar("DTSTART:20260203T100000Z\nRRULE:FREQ=HOURLY"), 5, "FREQ must be DAILY"),
        (calendar("DTSTART:20260203T100000Z\nRRULE:FREQ=YEARLY;BYWEEKNO=3"), 5, "BYWEEKNO are not supported"),
        (calendar("DTSTART:20260203T100000Z\nRRULE:FREQ=DAILY;INTERVAL=0"), 5, "not between 1 and 10000"),
    ])
    func `a mistake names its line and quotes nothing`(text: String, line: Int, words: String) {
        let mistake = #expect(throws: EventCalendar.Mistake.self) { try EventCalendar(text) }
        #expect(mistake?.line == line)
        #expect(words.split(separator: "|").contains { mistake?.sentence.contains($0) == true })
    }

    @Test func `the repetitions of a hostile file are bounded`() {
        let daily = Self.calendar(
            String(repeating: "DTSTART:19000101T000000Z\nRRULE:FREQ=DAILY\nEND:VEVENT\nBEGIN:VEVENT\n", count: 50)
                + "DTSTART:19000101T000000Z")
        let never = Self.calendar(
            "DTSTART:00010101T000000Z\n"
                + String(repeating: "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30\n", count: 1_000) + "SUMMARY:x")
        let mistakes = [daily, never].map { text in
            #expect(throws: EventCalendar.Mistake.self) { try EventCalendar(text) }?.sentence
        }
        #expect(
            mistakes == [
                "The events and their repetitions are more than 100000.",
                "The repetitions of the calendar take too long to find. Divide it.",
            ])
    }

    @Test func `long lines, many excluded days and many weekdays are read in time in proportion to the text`() throws {
        let folded = "SUMMARY:x\n" + String(repeating: " a\n", count: 200_000) + "DTSTART:20260101T000000Z"
        #expect(try EventCalendar(Self.calendar(folded)).days(in: .gmt).count == 1)
        let days = (1...28).map { "202601" + ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ",")
        let excluded = String(repeating: "EXDATE;VALUE=DATE:\(days)\n", count: 2_000)
        let daily = "DTSTART:19500101T000000Z\nRRULE:FREQ=DAILY;COUNT=40000\n"
        #expect(try !EventCalendar(Self.calendar(daily + excluded)).days(in: .gmt).isEmpty)
        let weekdays = Array(repeating: "MO", count: 100_000).joined(separator: ",")
        let rule = "DTSTART:19700105T000000Z\nRRULE:FREQ=DAILY;BYDAY=\(weekdays);COUNT=4000"
        #expect(try EventCalendar(Self.calendar(rule)).days(in: .gmt).count == 4_000)
    }

    @Test func `a schedule skips and keeps the days of a calendar`() throws {
        let holidays = try EventCalendar(Self.calendar("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY"))
        var schedule = try Schedule(cron: "0 9 25,26 12 *", timezone: "Europe/Lisbon")
        schedule.days = try ScheduleDays(only: nil, skip: ["holidays.ics", "2027-12-26"], in: schedule.zone) { _ in
            holidays
        }
        let after = try #require(Timestamp("2026-12-01T00:00:00Z"))
        #expect(
            schedule.upcoming(after: after, count: 2).map { $0.description.prefix(10) } == ["2026-12-26", "2028-12-26"])
        schedule.days = try ScheduleDays(only: ["holidays.ics"], skip: [], in: schedule.zone) { _ in holidays }
        #expect(
            schedule.upcoming(after: after, count: 2).map { $0.description.prefix(10) } == ["2026-12-25", "2027-12-25"])
        let until = try #require(Timestamp("2030-01-01T00:00:00Z"))
        #expect(
            schedule.newest(after: after, through: until, limit: 2).map { $0.description.prefix(10) }
                == ["2028-12-25", "2029-12-25"])
    }
}
