import WeirJournals

/// Makes ids of runs: 26 characters of lower-case base 32 that sort by the time they were made.
enum RunID {
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// Ten characters of the time in milliseconds and sixteen of chance, as in a ULID.
    static func make(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> String {
        let moment = stride(from: 45, through: 0, by: -5).map { digits[Int(time.milliseconds >> Int64($0) & 31)] }
        let chance = (0..<16).map { _ in digits[Int(generator.next() & 31)] }
        return String(moment + chance)
    }

    /// Whether an id could be one that was made here.
    static func isPlausible(_ id: String) -> Bool { id.count == 26 && id.allSatisfy(digits.contains) }
}
