import HTTPTypes

/// What every request must fulfil before anything else about it counts.
///
/// The routes and the channel handlers that answer on the event loop both ask here, so that no way in is less guarded
/// than another.
struct RequestCheck: Sendable {
    let hosts: HostCheck
    let actors: ActorCheck

    /// What is wrong with a request; nil if it may continue.
    func problem(with head: HTTPRequest) -> Problem? {
        // The first Host field is in `authority`; a Host among the fields is a second one.
        guard let authority = head.authority, !authority.isEmpty, head.headerFields[values: .host].isEmpty else {
            return .malformedHost
        }
        guard head.path?.first == "/" else { return .malformedPath }
        guard hosts.allows(authority) else { return .otherHost(authority) }
        return actors.problem(with: head.headerFields)
    }
}
