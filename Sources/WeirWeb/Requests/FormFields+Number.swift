import WeirJournals
import WeirStates

extension FormFields {
    /// The place in a log that a query's field names, as the answer before gave it; nil if it has none.
    func place(_ name: String) throws(Problem) -> SequenceNumber? {
        guard let text = self[name] else { return nil }
        guard let place = SequenceNumber(text) else {
            throw .malformedQuery(name, .queryRange, ["least": "0", "most": "\(SequenceNumber.max)"])
        }
        return place
    }

    /// The whole number of a query's field; nil if it has none.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .malformedQuery(name, .queryRange, ["least": "\(range.lowerBound)", "most": "\(range.upperBound)"])
        }
        return number
    }
}
