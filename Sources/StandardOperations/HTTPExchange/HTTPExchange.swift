import AsyncHTTPClient
import Flows
import Foundation
import NIOCore
import NIOHTTP1

/// One request and its answer, each step of it told: name, connection, request, answer, redirects.
///
/// AsyncHTTPClient looks names up out of sight. So the name is looked up here first, and the client is given the address
/// in its place (`dnsOverride`, which keeps `Host` and the TLS server name): each step happens once, and is told when it
/// happens. A client lives as long as one connection; nothing is shared and nothing is left open.
struct HTTPExchange: Sendable {
    /// What is asked for.
    struct Request: Sendable {
        var method = HTTPMethod.GET
        var url: String
        var body: String?
        /// How many bytes of the body's beginning are kept.
        var keeping: Int
        /// How many bytes of the body are read before the connection is cut.
        var limit: Int64
        /// How long all of it may take, redirects included.
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
        for _ in 0...Self.redirectLimit {
            let target = try HTTPTarget(request.url)
            let answer = try await reach(target, request, trace, onEvent: onEvent)
            guard let place = answer.redirection else {
                trace.ended(answer)
                return answer
            }
            request.url = try target.redirected(to: place)
            trace.note("Redirected to \(request.url)")
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
        var addresses = [target.host]
        if !target.isAddress {
            onEvent(.resolving(host: target.host))
            trace.looksUp(target.host)
            addresses = try await environment.resolver.addresses(of: target.host)
            trace.found(addresses, for: target.host)
        }
        var last = HTTPFailure.nameNotFound(host: target.host)
        for address in addresses.prefix(8) {
            try Task.checkCancellation()
            onEvent(.connecting(host: target.host, address: address, port: target.port))
            trace.connects(to: target, at: address)
            do {
                return try await exchange(target, at: address, request, trace, onEvent: onEvent)
            } catch let failure as HTTPFailure where failure.isOfAddress {
                if address != addresses.prefix(8).last { trace.note(failure.description) }
                last = failure
            }
        }
        throw last
    }

    private func exchange(
        _ target: HTTPTarget, at address: String, _ request: Request, _ trace: HTTPTrace,
        onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) async throws -> HTTPAnswer {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if !target.isAddress { configuration.dnsOverride = [target.host: address] }
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let step = Locked(HTTPStep.connecting)
        let delegate = HTTPExchangeDelegate(
            target: target, url: request.url, keeping: request.keeping, limit: request.limit, trace: trace
        ) { event in
            step.withLock { $0 = event.step }
            onEvent(event)
        }
        let result = await outcome(of: request, client: client, delegate: delegate)
        try await client.shutdown()
        switch result {
        case .success(let answer): return answer
        case .failure(is HTTPExchangeDelegate.Enough): return delegate.current
        case .failure(let error):
            try Task.checkCancellation()
            throw HTTPFailure(error, during: step.withLock { $0 }, target: target, address: address)
        }
    }

    private func outcome(
        of request: Request, client: HTTPClient, delegate: HTTPExchangeDelegate
    ) async -> Result<HTTPAnswer, any Error> {
        do {
            var headers: HTTPHeaders = ["user-agent": "Weir", "accept": "*/*"]
            if request.body != nil { headers.add(name: "content-type", value: "text/plain; charset=utf-8") }
            let task = client.execute(
                request: try HTTPClient.Request(
                    url: request.url, method: request.method, headers: headers,
                    body: request.body.map { .string($0) }),
                delegate: delegate)
            return .success(try await withTaskCancellationHandler(operation: task.get, onCancel: task.cancel))
        } catch {
            return .failure(error)
        }
    }
}
