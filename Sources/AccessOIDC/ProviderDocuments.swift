import Access
import JWTKit
import Logging
import States

/// What the provider publishes, its metadata and its keys, fetched when they are needed.
///
/// Every caller who needs the same document waits for the same fetch. After a failure the document is not asked for again
/// for a while; whoever needs it in that time is given the failure at once.
actor ProviderDocuments {
    private let configuration: OpenIDConfiguration
    private let transport: any ProviderTransport
    private let now: @Sendable () -> Int64
    private let logger: Logger

    private var metadata: ProviderMetadata?
    private var metadataFetch: Task<Result<ProviderMetadata, IdentityProviderError>, Never>?
    private var metadataFailure: IdentityProviderError?
    // So that a sign-in that begins while the provider is down ends with a sentence, not at an address without an answer.
    private var metadataSchedule = FetchSchedule(freshFor: 60_000)

    private var keys: ProviderKeys?
    private var keysFetch: Task<Result<ProviderKeys, IdentityProviderError>, Never>?
    // A key that was withdrawn is good for an hour at most; a kid that nobody knows costs one fetch a minute.
    private var keysSchedule = FetchSchedule(freshFor: 3_600_000, interval: 60_000)

    init(
        _ configuration: OpenIDConfiguration, transport: any ProviderTransport, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.configuration = configuration
        self.transport = transport
        self.now = now
        self.logger = logger
    }

    /// The metadata as it is known; nil before it was fetched.
    var knownMetadata: ProviderMetadata? { metadata }

    /// The metadata, at most a minute old.
    ///
    /// - Throws: `IdentityProviderError`, also of an earlier attempt.
    func currentMetadata() async throws(IdentityProviderError) -> ProviderMetadata {
        if let metadata, metadataSchedule.isFresh(now: now()) { return metadata }
        if let metadataFetch { return try await metadataFetch.value.get() }
        if let metadataFailure, !metadataSchedule.mayFetch(now: now()) { throw metadataFailure }
        let fetch = Task { await fetchMetadata() }
        metadataFetch = fetch
        let result = await fetch.value
        metadataFetch = nil
        switch result {
        case .success(let fetched):
            if metadataFailure != nil { logger.notice("The identity provider answers again.") }
            (metadata, metadataFailure) = (fetched, nil)
            metadataSchedule.succeed(now: now())
        case .failure(let error):
            let isNews = metadataFailure != error
            metadataFailure = error
            let wait = metadataSchedule.fail(now: now())
            if isNews {
                logger.warning(
                    "Nobody can sign in through the identity provider at the moment.",
                    metadata: ["cause": "\(Quoted(error))", "tried again after": "\(wait) ms, then less often"])
            }
        }
        return try result.get()
    }

    private func fetchMetadata() async -> Result<ProviderMetadata, IdentityProviderError> {
        do throws(IdentityProviderError) {
            let answer = try await transport.send(ProviderRequest(configuration.discoveryURL))
            let document = try answer.document("The discovery document \(configuration.discoveryURL)")
            return .success(try ProviderMetadata(document, for: configuration))
        } catch {
            return .failure(error)
        }
    }

    /// The keys that can have signed a token, fetched again if none is known and the last fetch is a minute ago.
    ///
    /// - Throws: `IdentityProviderError` when there are no keys at all.
    func keys(for header: IDToken.Header, at url: ProviderURL) async throws(IdentityProviderError) -> [JWK] {
        let known = keys?.keys(for: header) ?? []
        if !known.isEmpty, keysSchedule.isFresh(now: now()) { return known }
        if keysFetch == nil, keys != nil, !keysSchedule.mayFetch(now: now()) { return known }
        let isFirst = keysFetch == nil
        let fetch = keysFetch ?? Task { await fetchKeys(at: url) }
        keysFetch = fetch
        let result = await fetch.value
        if isFirst {
            keysFetch = nil
            switch result {
            case .success(let fetched):
                keys = fetched
                keysSchedule.succeed(now: now())
            case .failure(let error):
                _ = keysSchedule.fail(now: now())
                logger.warning(
                    "The identity provider's keys cannot be fetched.", metadata: ["cause": "\(Quoted(error))"])
            }
        }
        return try result.get().keys(for: header)
    }

    private func fetchKeys(at url: ProviderURL) async -> Result<ProviderKeys, IdentityProviderError> {
        do throws(IdentityProviderError) {
            return .success(
                try ProviderKeys(try await transport.send(ProviderRequest(url)).document("The key set \(url.text)")))
        } catch {
            return .failure(error)
        }
    }
}
