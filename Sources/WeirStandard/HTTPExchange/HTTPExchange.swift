import Foundation
import NIOHTTP1
import WeirFlows

/// Performs an HTTP request and reports each step: name, connection, request, response, redirects.
///
/// AsyncHTTPClient does not report name resolution. Therefore the name is resolved here first and the client receives the
/// address (`dnsOverride`, which keeps `Host` and the TLS server name), so that each step happens once and is reported when it
/// happens. Each connection has its own client, which is closed after the exchange, within 10 s.
struct HTTPExchange: Sendable {
    struct Request: Sendable {
        var method = HTTPMethod.GET
        var url: String
        /// Whether an operator configured the URL, which may then lead anywhere; redirects may not.
        var isConfigured = false
        /// Whether the URL is this server's own, whose certificate is valid for its public name only.
        var isOwn = false
        /// Whether redirects to another origin are returned instead of followed.
        var staysAtOrigin = false
        var body: String?
        /// Additional header fields, which override the default ones.
        ///
        /// They may hold secrets: requests with any must not follow redirects to other origins.
        var headers: [HeaderField] = []
        /// Whether redirects are followed rather than returned.
        var followsRedirects = true
        /// The maximum number of body bytes kept.
        var keeping: Int
        /// The number of body bytes after which the connection is closed.
        var limit: Int64
        /// The time limit for the whole exchange, including redirects.
        var timeout: Duration
    }

    static let redirectLimit = 5
    let environment: OperationEnvironment

    /// Performs the exchange.
    ///
    /// Throws ``HTTPFailure``, and `CancellationError` immediately on cancellation.
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
            // Validated before it is logged: an invalid target is not recorded.
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

    /// Tries the host's addresses in order until one accepts a connection.
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

extension HTTPExchange {
    /// Sends a GET to a URL configured by an operator and reads the whole body of a 2xx response.
    ///
    /// The configured URL may lead anywhere; the targets of redirects are restricted. Throws ``HTTPFailure``, also for other
    /// statuses and for bodies over the limit, `CancellationError`, and the errors of `read`. `isOwn` marks a URL of this
    /// server.
    func fetch<Value: Sendable>(
        _ url: String, isOwn: Bool = false, limit: Int, timeout: Duration,
        read: @escaping @Sendable (Data) throws -> Value
    ) async throws -> Value {
        let request = Request(
            url: url, isConfigured: true, isOwn: isOwn, keeping: limit, limit: Int64(limit), timeout: timeout)
        let answer = try await perform(request) { _ in }
        try answer.check()
        guard answer.isWhole else { throw HTTPFailure.tooLong(limit: Int64(limit)) }
        return try await WorkPool.answers.run { try read(answer.body) }
    }
}

/// Performs work with a time limit; returns nil once the limit was reached and the cancelled work has ended.
///
/// Rethrows the work's errors. Cancelling the caller cancels the work.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask(operation: work)
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        return try await group.next() ?? nil
    }
}
