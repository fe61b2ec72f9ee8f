import Foundation

/// A run took longer than its operation allows.
public struct OperationTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was allowed.
    public let limit: Duration

    /// Makes an error.
    public init(limit: Duration) { self.limit = limit }

    /// What happened, in a sentence.
    public var description: String {
        "It took longer than the \(limit.formatted(.units(allowed: [.hours, .minutes, .seconds, .milliseconds]))) it may."
    }
}
