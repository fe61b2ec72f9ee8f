import Foundation
import NIOHTTP1
import WeirFlows

/// One request and its answer, reporting each step: name, connection, request, answer, redirects.
///
/// AsyncHTTPClient looks names up without reporting it. Therefore the name is looked up here first, and the client
/// receives the address instead (`dnsOverride`, which keeps `Host` and the TLS server name): each step happens once,
/// and is reported when it happens. A client lives as long as one connection; nothing is shared. The connection closes
/// after the exchange, within 10 s.
struct HTTPExchange: Sendable {
    /// The request.
    struct Request: Sendable {
        var method = HTTPMethod.GET
        var url: String
        /// Whether an operator has configured the URL, which may then lead anywhere; redirects may not.
        var isConfigured = false
        /// Whether the URL leads to this very server, whose certificate is for the name that the world calls it by.
        var isOwn = false
        /// Whether redirects to another scheme, host or port are answers rather than followed.
        var staysAtOrigin = false
        var body: String?
        /// Header fields of the request; those that it always has can be replaced.
        ///
        /// They may hold secrets: a request that has some must not follow redirects to other origins.
        var headers: [HeaderField] = []
        /// Whether redirects are followed; otherwise they are the answer.
        var followsRedirects = true
        /// How many bytes of the body's beginning are kept.
        var keeping: Int
        /// How many bytes of the body are read before the connection is cut.
        var limit: Int64
        /// The time limit for everything, redirects included.
        var timeout: Duration
    }

    static let redirectLimit = 5
    let environment: OperationEnvironment

    /// Does the exchange.
    ///
    /// Throws ``HTTPFailure`` and, when the task is cancelled, `CancellationError` at once.
    func perform(
        _ request: Request, trace: HTTPTrace = .silent, onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) async throws -> HTTPAnswer {
        let step = Locked(HTTPStep.resolving)
        let answer = try await withTimeLimit(request.timeout, clock: environment.clock) {
            try await follow(request, trace) { event in
                step.withLock { $0 = event.step }
                onEvent(event)
            }
        }
        guard let answer else {
            try Task.checkCancellation()
            throw HTTPFailure.timedOut(during: step.withLock { $0 }, after: request.timeout)
        }
        return answer
    }

    private func follow(
        _ request: Request, _ trace: HTTPTrace, onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) async throws -> HTTPAnswer {
        var request = request
        var target = try HTTPTarget(request.url)
        for _ in 0...Self.redirectLimit {
            let answer = try await reach(target, request, trace, onEvent: onEvent)
            guard request.followsRedirects, let place = answer.redirection else {
                trace.ended(answer)
                return answer
            }
            // Read before it is noted: what cannot be requested is not recorded either.
            let next = try HTTPTarget(target.resolving(place))
            if request.staysAtOrigin, (next.place, next.isSecure) != (target.place, target.isSecure) {
                trace.note("Redirected to another origin, which is not followed: \(next.text)")
                trace.ended(answer)
                return answer
            }
            target = next
            trace.note("Redirected to \(target.text)")
            request.isConfigured = false
            request.isOwn = false
            if answer.status == 303 || (answer.status < 303 && request.method == .POST) {
                request.method = request.method == .HEAD ? .HEAD : .GET
                request.body = nil
            }
        }
        throw HTTPFailure.tooManyRedirects(limit: Self.redirectLimit)
    }

    /// Tries each address of the host until one accepts a connection.
    private func reach(
        _ target: HTTPTarget, _ request: Request, _ trace: HTTPTrace,
        onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) async throws -> HTTPAnswer {
        let addresses = try await permittedAddresses(of: target, request, trace, onEvent: onEvent).prefix(8)
        var last = HTTPFailure.nameNotFound(host: target.host)
        for address in addresses {
            try Task.checkCancellation()
            onEvent(.connecting(host: target.host, address: address.description, port: Int(target.port.number)))
            trace.connects(to: target, at: address)
            do {
                return try await exchange(target, at: address, request, trace, onEvent: onEvent)
            } catch let failure as HTTPFailure where failure.isOfAddress {
                if address != addresses.last { trace.note(failure.description) }
                last = failure
            }
        }
        throw last
    }
}
