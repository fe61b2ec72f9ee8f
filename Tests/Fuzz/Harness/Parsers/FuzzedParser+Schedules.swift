import Foundation
import WeirJournals

@testable import WeirBoards

extension FuzzedParser {
    /// Schedules as people write them: an expression or an interval, a zone, a delay, each on a line.
    static let cron = FuzzedParser("cron", upTo: 256) { input in
        var input = input
        let moment = Timestamp(milliseconds: input.number())
        let lines = input.lines
        let (text, zone) = (lines.first ?? "", lines.count > 1 ? lines[1] : nil)
        let delay = lines.count > 2 ? lines[2] : nil
        do throws(ScheduleError) {
            hold(try Schedule(cron: text, timezone: zone, randomDelay: delay), moment)
        } catch {
            expectSentence(error.description)
        }
        do throws(ScheduleError) {
            hold(try Schedule(every: text, randomDelay: delay), moment)
        } catch {
            expectSentence(error.description)
        }
    }

    /// Calendars, whose days are read in two zones.
    static let calendars = FuzzedParser("calendars", upTo: 4_096) { input in
        do throws(EventCalendar.Mistake) {
            let calendar = try EventCalendar(input.text)
            let zones = ["UTC", "America/Sao_Paulo"].compactMap { TimeZone(identifier: $0) }
            for zone in zones {
                let days = calendar.days(in: zone)
                expect(days.count <= EventCalendar.maximumEvents, "\(days.count) events")
            }
            let again = try EventCalendar(input.text)
            expect(again == calendar, "a calendar is read in two ways")
        } catch {
            expectSentence(error.sentence)
            expect(error.line > 0, "line \(error.line)")
        }
    }

    private static func hold(_ schedule: Schedule, _ moment: Timestamp) {
        let times = schedule.upcoming(after: moment, count: 3)
        expect(zip([moment] + times, times).allSatisfy { $0 < $1 }, "“\(schedule.text)” goes back: \(times)")
        guard let first = times.first, let last = times.last else { return }
        let newest = schedule.newest(after: first.before(1), through: last, limit: 3)
        expect(newest == times, "“\(schedule.text)” in \(schedule.timezone): \(times) and \(newest)")
        let delay = schedule.delay(of: first, for: "an operation")
        expect((0...max(0, schedule.randomDelay)).contains(delay), "a delay of \(delay) ms")
    }
}
