/// Which try this is, and of how many.
public struct Attempt: Codable, Hashable, Sendable {
    /// The number of this try, from 1.
    public let number: Int
    /// How many tries there are at most.
    public let of: Int

    /// Makes an attempt.
    public init(_ number: Int, of count: Int) {
        self.number = number
        self.of = count
    }
}
