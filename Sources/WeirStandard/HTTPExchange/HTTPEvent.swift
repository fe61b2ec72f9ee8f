/// A step an HTTP exchange has come to.
enum HTTPEvent: Sendable {
    /// The name is being looked up.
    case resolving(host: String)
    /// The name has been resolved to this address, and a connection to it is being made.
    case connecting(host: String, address: String, port: Int)
    /// The connection is open, and the request is being sent.
    case waiting(method: String, url: String)
    /// The answer is arriving; `bytes` of its body have arrived.
    case receiving(status: Int, bytes: Int64, total: Int64?)

    var step: HTTPStep {
        switch self {
        case .resolving: .resolving
        case .connecting: .connecting
        case .waiting: .waiting
        case .receiving: .receiving
        }
    }
}
