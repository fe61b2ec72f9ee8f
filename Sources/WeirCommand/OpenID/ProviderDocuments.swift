import JWTKit
import Logging
import WeirAccess
import WeirFlows
import WeirStates

/// Fetches and caches the provider's metadata and keys.
///
/// Concurrent callers share one fetch of a document. After a failure, the metadata is not requested again until the backoff
/// ends, and callers receive the failure at once. A failed fetch of keys is repeated by the next sign-in that needs them.
actor ProviderDocuments {
    private let configuration: OpenIDConfiguration
    private let transport: any ProviderTransport
    private let now: @Sendable () -> Int64
    private let logger: Logger

    private var metadata: ProviderMetadata?
    private var metadataFetch: Task<Result<ProviderMetadata, IdentityProviderError>, Never>?
    private var metadataFailure: IdentityProviderError?
    // Short, so that a sign-in that starts while the provider is down fails with an error page here, not at an unreachable URL.
    private var metadataSchedule = FetchSchedule(freshFor: 60_000)

    private var keys: ProviderKeys?
    private var keysFetch: Task<Result<ProviderKeys, IdentityProviderError>, Never>?
    // A revoked key stays valid for an hour at most. An unknown `kid` causes at most one fetch in five seconds.
    private var keysSchedule = FetchSchedule(freshFor: 3_600_000, interval: 5_000)

    init(
        _ configuration: OpenIDConfiguration, transport: any ProviderTransport, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.configuration = configuration
        self.transport = transport
        self.now = now
        self.logger = logger
    }

    /// The cached metadata of any age, or nil before the first fetch.
    var knownMetadata: ProviderMetadata? { metadata }

    /// The metadata, at most a minute old.
    ///
    /// - Throws: `IdentityProviderError` of this fetch, or of an earlier one during the backoff.
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
                    "The identity provider is not available for sign-in.",
                    metadata: ["cause": "\(Quoted(error))", "tried again after": "\(wait) ms, then less often"])
            }
            return .failure(error)
        }
    }

    /// Waits for a fetch; a cancelled caller returns at once, and the fetch continues for the others.
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

    /// The keys that can have signed a token; fetches them again if none matches, at most once in five seconds.
    ///
    /// - Throws: `IdentityProviderError` if no keys are available.
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

/// The provider metadata of OpenID Connect Discovery 1.0, section 3, as far as it is used.
struct ProviderMetadata: Hashable, Sendable {
    let authorizationEndpoint: ProviderURL
    let tokenEndpoint: ProviderURL
    let keys: ProviderURL
    let userInfoEndpoint: ProviderURL?
    let endSessionEndpoint: ProviderURL?
    let clientAuthentication: OpenIDConfiguration.ClientAuthentication
    /// Whether every authorization response contains the issuer (RFC 9207).
    let namesIssuer: Bool

    /// Parses the document and checks its issuer; throws an error that names the missing or invalid value.
    init(_ document: JSONValue, for configuration: OpenIDConfiguration) throws(IdentityProviderError) {
        guard let issuer = document["issuer"]?.string else {
            throw IdentityProviderError(
                .failed, "\(configuration.discoveryURL) is no discovery document: it has no issuer.")
        }
        // Prevents a document of another issuer from being accepted. A trailing slash makes another issuer.
        guard issuer == configuration.issuer else {
            throw IdentityProviderError(
                .issuer,
                "The setting oidc.issuer is \(Quoted(configuration.issuer)), but the provider there calls itself "
                    + "\(Quoted(issuer)). Both must be the same, letter by letter.")
        }
        let isSecure = configuration.issuer.hasPrefix("https:")
        func endpoint(_ name: String) throws(IdentityProviderError) -> ProviderURL? {
            guard let text = document[name]?.string else { return nil }
            guard let url = ProviderURL(text), url.isSecure || !isSecure else {
                throw IdentityProviderError(.failed, "The provider's \(name) is no https URL: \(Quoted(text)).")
            }
            return url
        }
        func required(_ name: String) throws(IdentityProviderError) -> ProviderURL {
            guard let url = try endpoint(name) else {
                throw IdentityProviderError(.failed, "The provider's discovery document has no \(name).")
            }
            return url
        }
        authorizationEndpoint = try required("authorization_endpoint")
        tokenEndpoint = try required("token_endpoint")
        keys = try required("jwks_uri")
        userInfoEndpoint = try endpoint("userinfo_endpoint")
        endSessionEndpoint = try endpoint("end_session_endpoint")
        namesIssuer = document["authorization_response_iss_parameter_supported"]?.bool == true
        let methods = document["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        let offersBasic = methods?.contains("client_secret_basic") ?? true
        let offersPost = methods?.contains("client_secret_post") ?? false
        clientAuthentication =
            configuration.clientAuthentication ?? (offersBasic || !offersPost ? .basic : .post)
    }
}

/// The signing keys of a provider (RFC 7517), without those that cannot sign an ID token.
struct ProviderKeys: Sendable {
    /// The number of keys to read; further keys are ignored.
    private static let limit = 100

    private let keys: [JWK]

    /// Parses a key set; throws if it contains no usable key.
    init(_ document: JSONValue) throws(IdentityProviderError) {
        keys = (document["keys"]?.array ?? []).prefix(Self.limit).compactMap { key in
            guard key["use"]?.string ?? "sig" == "sig" else { return nil }
            // A key set can contain keys of unknown types. They are ignored.
            guard var read = try? JWK(json: key.text()) else { return nil }
            (read.privateExponent, read.prime1, read.prime2) = (nil, nil, nil)
            return read
        }
        guard !keys.isEmpty else {
            throw IdentityProviderError(.failed, "The provider's key set has no key that can sign an ID token.")
        }
    }

    /// The keys that can have signed a token: those with its `kid`, if present, and its algorithm.
    ///
    /// The algorithm determines the key type, never the reverse, and no type is a shared secret.
    func keys(for header: IDToken.Header) -> [JWK] {
        keys.filter { key in
            (header.keyID == nil || key.keyIdentifier?.string == header.keyID)
                && key.keyType == header.keyType
                && (key.algorithm == nil || key.algorithm == header.algorithm)
        }
    }
}

/// Decides when to fetch a provider document: when it is stale, and after failures with exponential backoff.
///
/// Pure. Times are in milliseconds since 1970, from a clock that can be set.
struct FetchSchedule: Sendable {
    /// The initial and the maximum backoff after a failure, in milliseconds.
    private static let (firstWait, longestWait): (Int64, Int64) = (1_000, 30_000)

    /// How long a document is fresh, in milliseconds.
    let freshFor: Int64
    /// The minimum interval after a successful fetch, in milliseconds, even when a caller requests the document.
    let interval: Int64
    private var fetchedAt: Int64?
    private var triedAt: Int64?
    private var wait: Int64 = 0
    private var isFailing = false

    init(freshFor: Int64, interval: Int64 = 0) {
        self.freshFor = freshFor
        self.interval = interval
    }

    func isFresh(now: Int64) -> Bool { fetchedAt.map { (0..<freshFor).contains(now - $0) } ?? false }

    func mayFetch(now: Int64) -> Bool { triedAt.map { !(0..<wait).contains(now - $0) } ?? true }

    mutating func succeed(now: Int64) {
        (fetchedAt, triedAt, wait, isFailing) = (now, now, interval, false)
    }

    /// Records a failure and returns the time until the next attempt, in milliseconds.
    mutating func fail(now: Int64) -> Int64 {
        fetchedAt = nil
        wait = isFailing ? min(wait * 2, Self.longestWait) : Self.firstWait
        (triedAt, isFailing) = (now, true)
        return wait
    }
}
