extension FormFields {
    /// The whole number of a query's field; nil when it has none.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .malformedQuery(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
