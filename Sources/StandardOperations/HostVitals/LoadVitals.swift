/// How many tasks ran or wanted to, on average.
public struct LoadVitals: Codable, Hashable, Sendable {
    /// Over the last minute.
    public let one: Double
    /// Over the last five minutes.
    public let five: Double
    /// Over the last fifteen minutes.
    public let fifteen: Double
    /// The average of the last minute, one value a second, the newest last, in hundredths.
    public let history: [Int]

    /// Makes vitals.
    public init(one: Double, five: Double, fifteen: Double, history: [Int]) {
        self.one = (one * 100).rounded() / 100
        self.five = (five * 100).rounded() / 100
        self.fifteen = (fifteen * 100).rounded() / 100
        self.history = history
    }
}
