import Foundation
import NIOCore

/// The limits of a server's connections: their number, and the time and memory of each.
///
/// The total duration of a request or an answer is unlimited; only pauses and low rates are limited.
public struct ConnectionLimits: Sendable {
    /// The maximum number of connections.
    ///
    /// Nil derives it from the process's file limit, less a reserve, at most 24,000. When all are in use, connections that wait
    /// for their client are closed to make room for new ones.
    public var count: Int?
    /// The maximum number of connections per address, or nil for no limit, because all clients behind a proxy share one
    /// address.
    ///
    /// An IPv6 address counts by its first 64 bits.
    public var countPerAddress: Int?
    /// The maximum time without a request.
    public var idle: Duration = .seconds(60)
    /// The maximum time from the first to the last byte of a request head.
    public var head: Duration = .seconds(20)
    /// The minimum rate of a request body in bytes per second, once `bodyGrace` is used up.
    public var bodyRate = 500
    /// The maximum time that a body may pause or lag behind `bodyRate`, counted only while the server reads it.
    public var bodyGrace: Duration = .seconds(30)
    /// The maximum time in which a client accepts none of the bytes written to it.
    public var stall: Duration = .seconds(30)
    /// The number of unanswered requests after which the server stops reading from a connection.
    public var pipeline = 16
    /// The number of unsent bytes after which the server stops writing to and reading from a connection.
    public var unsentBytes = 64 * 1_024
    /// The time during which further input is read and dropped, so that the client receives a closing answer.
    var linger: TimeAmount = .seconds(2)
    /// The time after the start of a shutdown during which bodies are still read.
    var lastBytes: TimeAmount = .milliseconds(800)

    /// The time without evictions after which the log reports room for connections again.
    var calm: TimeAmount = .seconds(5)

    /// Creates the default limits.
    public init() {}

    /// The interval between checks of a connection, a fraction of the shortest limit.
    var interval: TimeAmount {
        let shortest = [idle, head, bodyGrace, stall].map { TimeAmount($0) }.min() ?? .seconds(20)
        return min(.seconds(5), max(.milliseconds(20), .nanoseconds(shortest.nanoseconds / 4)))
    }
}
