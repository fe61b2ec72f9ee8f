/// How many tasks ran or wanted to, on average.
package struct LoadVitals: Codable, Hashable, Sendable {
    /// Over the last minute.
    package let one: Double
    /// Over the last five minutes.
    package let five: Double
    /// Over the last fifteen minutes.
    package let fifteen: Double
    /// The average of the last minute, one value a second, the newest last, in hundredths.
    package let history: [Int]

    /// Makes vitals.
    package init(one: Double, five: Double, fifteen: Double, history: [Int]) {
        self.one = (one * 100).rounded() / 100
        self.five = (five * 100).rounded() / 100
        self.fifteen = (fifteen * 100).rounded() / 100
        self.history = history
    }
}
