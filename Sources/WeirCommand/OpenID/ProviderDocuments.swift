import JWTKit
import Logging
import WeirAccess
import WeirFlows
import WeirStates

/// What the provider publishes, its metadata and its keys, fetched when they are needed.
///
/// Every caller that needs the same document waits for the same fetch. After a failure the metadata is not asked for again
/// for a while, and callers get the failure at once. Keys are asked for again by the next sign-in that needs them.
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
        if metadataFetch == nil, let metadataFailure, !metadataSchedule.mayFetch(now: now()) { throw metadataFailure }
        let fetch = metadataFetch ?? Task { await fetchMetadata() }
        metadataFetch = fetch
        return try await Self.result(of: fetch).get()
    }

    private func fetchMetadata() async -> Result<ProviderMetadata, IdentityProviderError> {
        defer { metadataFetch = nil }
        do throws(IdentityProviderError) {
            let answer = try await transport.send(ProviderRequest(configuration.discoveryURL))
            let document = try answer.document("The discovery document \(configuration.discoveryURL)")
            let fetched = try ProviderMetadata(document, for: configuration)
            if metadataFailure != nil { logger.notice("The identity provider answers again.") }
            (metadata, metadataFailure) = (fetched, nil)
            metadataSchedule.succeed(now: now())
            return .success(fetched)
        } catch {
            let isNews = metadataFailure != error
            metadataFailure = error
            let wait = metadataSchedule.fail(now: now())
            if isNews {
                logger.warning(
                    "Nobody can sign in through the identity provider at the moment.",
                    metadata: ["cause": "\(Quoted(error))", "tried again after": "\(wait) ms, then less often"])
            }
            return .failure(error)
        }
    }

    /// The result of a fetch; a caller that is cancelled leaves at once, and the fetch continues for the others.
    private static func result<Document>(
        of fetch: Task<Result<Document, IdentityProviderError>, Never>
    ) async -> Result<Document, IdentityProviderError> {
        let result = OneShot<Result<Document, IdentityProviderError>>()
        return await withTaskCancellationHandler {
            Task { result.send(await fetch.value) }
            return await result.value()
        } onCancel: {
            result.send(.failure(IdentityProviderError(.unreachable, "The browser has left.")))
        }
    }

    /// The keys that can have signed a token, fetched again if none is known and the last fetch is a minute ago.
    ///
    /// - Throws: `IdentityProviderError` when there are no keys at all.
    func keys(for header: IDToken.Header, at url: ProviderURL) async throws(IdentityProviderError) -> [JWK] {
        let known = keys?.keys(for: header) ?? []
        if !known.isEmpty, keysSchedule.isFresh(now: now()) { return known }
        if keysFetch == nil, keys != nil, !keysSchedule.mayFetch(now: now()) { return known }
        let fetch = keysFetch ?? Task { await fetchKeys(at: url) }
        keysFetch = fetch
        return try await Self.result(of: fetch).get().keys(for: header)
    }

    private func fetchKeys(at url: ProviderURL) async -> Result<ProviderKeys, IdentityProviderError> {
        defer { keysFetch = nil }
        do throws(IdentityProviderError) {
            let answer = try await transport.send(ProviderRequest(url))
            let fetched = try ProviderKeys(try answer.document("The key set \(url.text)"))
            keys = fetched
            keysSchedule.succeed(now: now())
            return .success(fetched)
        } catch {
            _ = keysSchedule.fail(now: now())
            logger.warning(
                "The identity provider's keys cannot be fetched.", metadata: ["cause": "\(Quoted(error))"])
            return .failure(error)
        }
    }
}
