/// What an HTTP exchange is doing; the names are those of ``HTTPRequestState``'s cases.
package enum HTTPStep: String, Codable, Sendable, Hashable {
    /// The host's name is being looked up.
    case resolving
    /// A connection is being made, TLS included.
    case connecting
    /// The request is being sent, and no answer has begun.
    case waiting
    /// The answer is arriving.
    case receiving
}
