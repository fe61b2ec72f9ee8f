import NIOCore

/// How long a connection may keep the server waiting.
struct ConnectionLimits: Sendable {
    /// From the connection or the last answer to the next request's head, wholly read.
    var head: TimeAmount = .seconds(60)
    /// From one piece of a body to the next, while somebody here wants it.
    var body: TimeAmount = .seconds(30)
    /// How often that is looked at.
    var interval: TimeAmount = .seconds(5)
    /// How long what a client still sends is read and dropped, so that it gets to see an answer that ends the connection.
    var linger: TimeAmount = .seconds(2)
}
