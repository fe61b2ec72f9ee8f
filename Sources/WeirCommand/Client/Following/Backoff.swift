/// How long to wait before the next attempt: twice as long each time, at most ten seconds, with chance in it so that many
/// clients do not come back at once.
package struct Backoff: Sendable {
    private static let first: Double = 0.25
    private static let longest: Double = 10
    private var ceiling = Self.first

    package init() {}

    /// The wait before the next attempt.
    ///
    /// - Parameters:
    ///   - asked: How many seconds the server asks for; it gets at least that much, up to a minute.
    ///   - generator: Where the chance comes from.
    /// - Returns: How long to wait.
    package mutating func next(
        asked: Int64? = nil, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let wait = Double.random(in: ceiling / 2...ceiling, using: &generator)
        ceiling = min(ceiling * 2, Self.longest)
        return max(.seconds(wait), .seconds(min(max(asked ?? 0, 0), 60)))
    }

    /// An attempt has succeeded.
    package mutating func reset() { ceiling = Self.first }
}
