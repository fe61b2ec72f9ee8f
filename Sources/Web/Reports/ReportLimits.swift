/// How much a reporter may send at once.
public struct ReportLimits: Sendable {
    /// The most messages of one request.
    public var messages = 10_000
    /// The most bytes of a line.
    public var lineBytes = 65_536

    /// Makes the default limits.
    public init() {}
}
