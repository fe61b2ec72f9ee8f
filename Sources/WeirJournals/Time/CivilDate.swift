/// A day of the Gregorian calendar, extended back before its beginning as in ISO 8601.
///
/// The arithmetic on years that begin in March is Howard Hinnant's, of "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: Sendable, Hashable {
    /// The year; 0 is the year before the year 1.
    package let year: Int64
    /// The month, from 1.
    package let month: Int64
    /// The day of the month, from 1.
    package let dayOfMonth: Int64

    init(year: Int64, month: Int64, dayOfMonth: Int64) {
        self.year = year
        self.month = month
        self.dayOfMonth = dayOfMonth
    }

    /// The day that many days after 1 January 1970.
    package init(day: Int64) {
        let (era, dayOfEra) = (day + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1 January 1970.
    package var day: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floorDivided(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// The quotient rounded down, and what is left, which is never negative.
    ///
    /// The divisor is positive.
    package func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
