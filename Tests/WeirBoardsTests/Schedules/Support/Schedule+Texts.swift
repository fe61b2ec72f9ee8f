import WeirJournals

@testable import WeirBoards

extension Schedule {
    /// The times between two moments, as texts without seconds: `2026-03-29T01:00Z`.
    func times(from first: String, to last: String) -> [String] {
        guard let first = Timestamp(first + ":00Z"), let last = Timestamp(last + ":00Z") else { return ["no moment"] }
        var times: [String] = []
        var moment = first.before(1)
        while times.count < 200, let next = next(after: moment), next <= last {
            times.append(next.short)
            moment = next
        }
        return times
    }
}

extension Timestamp {
    /// Up to the minute: `2026-03-29T01:00`.
    var short: String { String(description.prefix(16)) }
}

/// The moment of a text such as `2026-03-29T01:00`.
func moment(_ text: String) -> Timestamp { Timestamp(text + ":00Z") ?? Timestamp(milliseconds: 0) }
