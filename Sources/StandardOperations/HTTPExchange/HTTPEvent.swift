/// A step an HTTP exchange has come to.
enum HTTPEvent: Sendable {
    /// The name is being looked up.
    case resolving(host: String)
    /// The name stands for this address, and a connection to it is being made.
    case connecting(host: String, address: String, port: Int)
    /// The connection stands, and the request is on its way.
    case waiting(method: String, url: String)
    /// So many bytes of the answer's body are here, of so many where the server said.
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
