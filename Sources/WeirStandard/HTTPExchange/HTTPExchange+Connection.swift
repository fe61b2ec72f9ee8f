import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import WeirFlows
import WeirTelemetry

extension HTTPExchange {
    /// The addresses of the host that the request may connect to.
    ///
    /// Throws the policy's refusal if there are none. Does not reveal addresses of names within a private network.
    func permittedAddresses(
        of target: HTTPTarget, _ request: Request, _ trace: HTTPTrace, onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) async throws -> [IPAddress] {
        var addresses = target.address.map { [$0] } ?? []
        if addresses.isEmpty {
            onEvent(.resolving(host: target.host))
            trace.looksUp(target.host)
            addresses = try await environment.resolver.addresses(of: target.host).compactMap { IPAddress($0) }
        }
        guard !request.isConfigured else {
            if target.address == nil { trace.found(addresses, for: target.host) }
            return addresses
        }
        var refusal: HTTPFailure?
        let permitted = addresses.filter { address in
            let failure = environment.outgoing.refusal(of: address, for: target)
            refusal = refusal ?? failure
            return failure == nil
        }
        if permitted.isEmpty, let refusal { throw refusal }
        if target.address == nil { trace.found(permitted, for: target.host) }
        return permitted
    }

    /// Sends the request over a connection to one address and reads the response.
    func exchange(
        _ target: HTTPTarget, at address: IPAddress, _ request: Request, _ trace: HTTPTrace,
        onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) async throws -> HTTPAnswer {
        let prepared: HTTPClient.Request
        do { prepared = try self.prepared(request, target) } catch {
            throw HTTPFailure.invalidURL(reason: "This URL cannot be requested. Check its spelling.")
        }
        let client = HTTPClient(
            configuration: Self.configuration(for: prepared, target, at: address, isOwn: request.isOwn))
        let step = Locked(HTTPStep.connecting)
        let delegate = HTTPExchangeDelegate(
            target: target, url: target.text, keeping: request.keeping, limit: request.limit, trace: trace
        ) { event in
            step.withLock { $0 = event.step }
            onEvent(event)
        }
        let result = await outcome(of: prepared, client: client, delegate: delegate)
        // Not awaited: a stalled peer can delay the close by 10 s, during the TLS handshake or shutdown.
        Task { try await client.shutdown() }
        switch result {
        case .success(let answer): return answer
        case .failure(is HTTPExchangeDelegate.Enough): return delegate.current
        case .failure(let error):
            try Task.checkCancellation()
            throw HTTPFailure(error, during: step.withLock { $0 }, target: target, address: address.description)
        }
    }

    private func prepared(_ request: Request, _ target: HTTPTarget) throws -> HTTPClient.Request {
        var headers: HTTPHeaders = ["user-agent": "Weir", "accept": "*/*"]
        if request.body != nil { headers.add(name: "content-type", value: "text/plain; charset=utf-8") }
        // A field of the request itself replaces it.
        if let place = TraceParent.current { headers.add(name: TraceParent.header, value: "\(place)") }
        for field in request.headers { headers.replaceOrAdd(name: field.name, value: field.value) }
        return try HTTPClient.Request(
            url: target.text, method: request.method, headers: headers, body: request.body.map { .string($0) })
    }

    /// Restricts the client to the address that was resolved and checked.
    ///
    /// The address is passed as an override for the name the client would resolve. If the connection still has another peer, it
    /// is closed before anything is sent.
    private static func configuration(
        for request: HTTPClient.Request, _ target: HTTPTarget, at address: IPAddress, isOwn: Bool
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if target.address == nil { configuration.dnsOverride = [request.host: address.description] }
        if isOwn {
            // The server connects to itself by address, for which its certificate need not be valid; nothing leaves the
            // machine.
            var encryption = TLSConfiguration.makeClientConfiguration()
            encryption.certificateVerification = .none
            configuration.tlsConfiguration = encryption
        }
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.guardStatuses()
        configuration.http1_1ConnectionDebugInitializer = { channel in
            let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
            if peer?.unmapped == address.unmapped || (address.isUnspecified && peer?.restriction == .thisMachine) {
                return StatusGuard.add(to: channel)
            }
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(
                HTTPFailure.notAllowed(
                    reason: "The connection led to an address that is not the host's. Try again."))
        }
        return configuration
    }

    private func outcome(
        of request: HTTPClient.Request, client: HTTPClient, delegate: HTTPExchangeDelegate
    ) async -> Result<HTTPAnswer, any Error> {
        do {
            let task = client.execute(request: request, delegate: delegate)
            return .success(try await withTaskCancellationHandler(operation: task.get, onCancel: task.cancel))
        } catch {
            return .failure(error)
        }
    }
}

/// Handles one request of AsyncHTTPClient: reports each step, keeps the beginning of the body, and stops at a limit.
///
/// Called on the request's event loop; the lock is for the task that reads the response afterwards.
final class HTTPExchangeDelegate: HTTPClientResponseDelegate {
    /// Stops a request that has been read far enough; never leaves an exchange.
    struct Enough: Error {}

    private let answer: Locked<HTTPAnswer>
    private let keeping: Int
    private let limit: Int64
    private let target: HTTPTarget
    private let trace: HTTPTrace
    private let onEvent: @Sendable (HTTPEvent) -> Void

    init(
        target: HTTPTarget, url: String, keeping: Int, limit: Int64, trace: HTTPTrace,
        onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) {
        self.target = target
        self.trace = trace
        answer = Locked(HTTPAnswer(url: url))
        self.keeping = keeping
        self.limit = limit
        self.onEvent = onEvent
    }

    /// The response as far as it was received.
    var current: HTTPAnswer { answer.withLock { $0 } }

    func didSendRequestHead(task: HTTPClient.Task<HTTPAnswer>, _ head: HTTPRequestHead) {
        trace.connected(to: target)
        trace.sent(head)
        onEvent(.waiting(method: head.method.rawValue, url: current.url))
    }

    func didReceiveHead(task: HTTPClient.Task<HTTPAnswer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let begun = answer.withLock { answer in
            answer.status = Int(head.status.code)
            answer.reason = head.status.reasonPhrase
            answer.headers = head.headers.map { HeaderField($0.name, $0.value) }
            answer.announced = head.headers.first(name: "content-length").flatMap(HTTPAnswer.length)
            return answer
        }
        trace.received(head)
        if begun.redirection != nil { return task.eventLoop.makeFailedFuture(Enough()) }
        onEvent(.receiving(status: begun.status, bytes: 0, total: begun.announced))
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<HTTPAnswer>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let now = answer.withLock { answer in
            let missing = min(keeping - answer.body.count, buffer.readableBytes)
            if missing > 0 { answer.body.append(contentsOf: buffer.readableBytesView.prefix(missing)) }
            answer.size += Int64(buffer.readableBytes)
            answer.isWhole = answer.size <= limit
            return (status: answer.status, size: answer.size, announced: answer.announced, isWhole: answer.isWhole)
        }
        onEvent(.receiving(status: now.status, bytes: now.size, total: now.announced))
        return now.isWhole ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(Enough())
    }

    func didFinishRequest(task: HTTPClient.Task<HTTPAnswer>) throws -> HTTPAnswer { current }
}
