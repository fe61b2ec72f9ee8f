/// The number of an attempt, and the maximum.
package struct Attempt: Codable, Hashable, Sendable {
    /// The number of this attempt, from 1.
    package let number: Int
    /// The maximum number of attempts.
    package let of: Int

    /// Creates an attempt.
    package init(_ number: Int, of count: Int) {
        self.number = number
        self.of = count
    }
}
