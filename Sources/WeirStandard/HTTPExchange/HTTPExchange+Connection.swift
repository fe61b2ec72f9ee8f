import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import WeirFlows

extension HTTPExchange {
    /// The addresses of the host that the request may connect to.
    ///
    /// If there are none, throws the policy's refusal. The addresses of names within a private network are not
    /// revealed.
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

    /// Sends the request over a connection to one address, and reads the answer.
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
        // Not awaited: a peer that stalls can hold up the end of a connection for 10 s, during a handshake or a TLS goodbye.
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
        for field in request.headers { headers.replaceOrAdd(name: field.name, value: field.value) }
        return try HTTPClient.Request(
            url: target.text, method: request.method, headers: headers, body: request.body.map { .string($0) })
    }

    /// Makes the client connect to the address that was looked up and checked, and to no other.
    ///
    /// The client receives the address under the very name it would look up. If it ever uses another address, the
    /// connection is closed before anything is sent.
    private static func configuration(
        for request: HTTPClient.Request, _ target: HTTPTarget, at address: IPAddress, isOwn: Bool
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if target.address == nil { configuration.dnsOverride = [request.host: address.description] }
        if isOwn {
            // It asks itself by its address, for which its certificate need not be; nothing leaves the machine.
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
