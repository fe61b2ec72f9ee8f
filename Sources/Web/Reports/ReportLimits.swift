/// How much a reporter may send at once.
package struct ReportLimits: Sendable {
    /// The most messages of one request.
    package var messages = 10_000
    /// The most bytes of a line.
    package var lineBytes = 65_536

    /// Makes the default limits.
    package init() {}
}
