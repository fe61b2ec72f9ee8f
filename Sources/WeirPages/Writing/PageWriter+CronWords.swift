import WeirBoards

extension PageWriter {
    /// A schedule in words, or nil if its expression has no short ones.
    ///
    /// Covered are intervals, and cron expressions of single numbers with a step of minutes or hours or a range of weekdays.
    func words(for schedule: Schedule) -> String? {
        if schedule.parts.count > 1 {
            let words = schedule.parts.compactMap(self.words)
            return words.count == schedule.parts.count ? words.joined(separator: "; ") : nil
        }
        guard schedule.days == .all else { return nil }
        if schedule.isInterval {
            return strings(.cronEvery, ["time": String(schedule.text.drop { !$0.isNumber })])
        }
        let fields = schedule.expression.split(whereSeparator: \.isWhitespace).map(String.init)
        guard fields.count == 5, fields[3] == "*" else { return nil }
        let (minute, hour, day, weekday) = (fields[0], fields[1], fields[2], fields[4])
        if hour == "*", day == "*", weekday == "*" { return words(forMinute: minute) }
        guard let minute = Int(minute), (0..<60).contains(minute) else { return nil }
        if let step = step(hour, of: 24), minute == 0, day == "*", weekday == "*" {
            return strings(.cronEvery, ["time": "\(step)\u{A0}h"])
        }
        guard let hour = Int(hour), (0..<24).contains(hour) else { return nil }
        let time = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        switch (day, weekday) {
        case ("*", "*"): return strings(.cronDaily, ["time": time])
        case ("*", "1-5"): return strings(.cronWeekdays, ["time": time])
        case ("*", _):
            let days = strings[.cronDays].split(separator: " ").map(String.init)
            guard days.count == 7, let number = number(ofDay: weekday) else { return nil }
            return strings(.cronWeekly, ["time": time, "day": days[number]])
        case (_, "*"):
            guard let day = Int(day) else { return nil }
            return strings(.cronMonthly, ["time": time, "day": String(day)])
        default: return nil
        }
    }

    private func words(forMinute minute: String) -> String? {
        if minute == "*" { return strings(.cronEvery, ["time": "1\u{A0}min"]) }
        if let step = step(minute, of: 60) { return strings(.cronEvery, ["time": "\(step)\u{A0}min"]) }
        return Int(minute).map { strings(.cronHourly, ["minute": String($0)]) }
    }

    /// The number of a step such as `*/5`, or nil unless its times are evenly spaced.
    private func step(_ field: String, of whole: Int) -> Int? {
        guard field.hasPrefix("*/"), let step = Int(field.dropFirst(2)), step > 0, whole.isMultiple(of: step)
        else { return nil }
        return step
    }

    /// The number of a weekday, with Sunday as 0.
    private func number(ofDay text: String) -> Int? {
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        if let number = Int(text) { return (0...7).contains(number) ? number % 7 : nil }
        return names.firstIndex(of: text.lowercased())
    }
}
