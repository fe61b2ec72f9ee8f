import NIOCore

/// What connections may take of a server: how many there are, and what each may take of time and memory.
///
/// Nothing here limits how long an answer or a body may last, only how long it may stand still or how slow it may be.
public struct ConnectionLimits: Sendable {
    /// The most connections at once; nil for as many as the process may open files, less a reserve, and at most 24,000.
    ///
    /// When all are taken, those that wait for their client are released to make room for new ones.
    public var count: Int?
    /// The most connections of one address at once; nil for no limit, because behind a proxy all have one address.
    ///
    /// An IPv6 address counts by its first 64 bits.
    public var countPerAddress: Int?
    /// How long a connection may be open without a request.
    public var idle: Duration = .seconds(60)
    /// From the first byte of a request's head to its last.
    public var head: Duration = .seconds(20)
    /// The fewest bytes per second that a body may bring, once `bodyGrace` is used up.
    public var bodyRate = 500
    /// How long a body may stand still, or how far it may fall behind `bodyRate`, counted only while the server reads it.
    public var bodyGrace: Duration = .seconds(30)
    /// How long a client may take no byte of what is written to it.
    public var stall: Duration = .seconds(30)
    /// After how many unanswered requests the server stops reading from a connection.
    public var pipeline = 16
    /// After how many bytes that the client has not taken a connection is neither written to nor read any further.
    public var unsentBytes = 64 * 1_024
    /// How long what a client still sends is read and dropped, so that it gets to see an answer that ends the connection.
    var linger: TimeAmount = .seconds(2)
    /// How long after the beginning of a shutdown a body is still read.
    var lastBytes: TimeAmount = .milliseconds(800)

    /// How long nobody must have been let go for others before it is said that there is room again.
    var calm: TimeAmount = .seconds(5)

    /// Creates the default limits; change what should be different.
    public init() {}

    /// How often a connection is held to its limits: several times within the shortest.
    var interval: TimeAmount {
        let shortest = [idle, head, bodyGrace, stall].map { TimeAmount($0) }.min() ?? .seconds(20)
        return min(.seconds(5), max(.milliseconds(20), .nanoseconds(shortest.nanoseconds / 4)))
    }
}
