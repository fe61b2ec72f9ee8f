/// A length of time as schedules are written: `90s`, `15m`, `1h30m`, `1d`.
struct ScheduleDuration: Sendable, Hashable {
    /// The longest: a leap year.
    static let maximum: Int64 = 366 * 86_400
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// The length in seconds, from 1 to ``maximum``.
    let seconds: Int64

    /// Reads a number with a unit, or several of them.
    ///
    /// - Parameters:
    ///   - text: What is read.
    ///   - key: What it is called where it is written.
    /// - Throws: `ScheduleError` for anything else, and for a length that is too short or too long.
    init(_ text: String, key: String) throws(ScheduleError) {
        guard let seconds = Self.seconds(of: text) else {
            throw ScheduleError(
                "\(ScheduleError.quoted(text)) is not a length of time for “\(key)”. Write a number with s, m, h, d or w, "
                    + "such as 90s, 15m or 1h30m.")
        }
        guard (1...Self.maximum).contains(seconds) else {
            throw ScheduleError("“\(key)” is \(ScheduleError.quoted(text)), and must be between 1s and 366d.")
        }
        self.seconds = seconds
    }

    /// The sum of the parts; 0 for what is too long.
    private static func seconds(of text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 32 else { return nil }
        var (sum, number): (Int64, Int64?) = (0, nil)
        for character in text {
            if character.isASCII, let digit = character.wholeNumberValue {
                number = (number ?? 0) * 10 + Int64(digit)
                if number ?? 0 > maximum { return text.last.flatMap { units[$0] } == nil ? nil : 0 }
            } else {
                guard let unit = units[character], let count = number else { return nil }
                sum += count * unit
                number = nil
                if sum > maximum { return 0 }
            }
        }
        return number == nil ? sum : nil
    }
}
