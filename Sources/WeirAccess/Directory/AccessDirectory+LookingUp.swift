import Synchronization

/// What is asked of the storage when somebody comes with what only another server of it may know, such as a session that was
/// begun there a moment ago.
extension AccessDirectory {
    /// Who sends a request, after a look at the storage for whatever it brings that is not known here.
    package func authenticateLookingUp(_ request: AccessRequest) async -> Authentication {
        let authentication = authenticate(request)
        if let authorization = authentication.authorization, !authorization.isAnonymous { return authentication }
        guard mayBeKnownElsewhere(request) else { return authentication }
        await lookUp()
        return authenticate(request)
    }

    /// Whether a request brings a session, a token or a link that is not known here, and whose checksum is right.
    package func mayBeKnownElsewhere(_ request: AccessRequest) -> Bool {
        let bearers = request.values("authorization").compactMap(Self.bearer)
        let cookies = request.values("cookie")
        let cookie = cookie
        let session = bearers.isEmpty ? cookie.secret(in: cookies) : nil
        let token = bearers.first.flatMap { SecretText($0, kind: .token) }
        let link = bearers.first.map { SecretText($0, kind: .link) } ?? cookie.link(in: cookies)
        let time = now()
        return state.withLock { state in
            // Also one that is over here may have been used elsewhere.
            session.map { state.sessions.session($0.hash, now: time) == nil } ?? false
                || token.map { state.tokenIDs[$0.hash] == nil } ?? false
                || link.map { state.linkIDs[$0.hash] == nil } ?? false
        }
    }

    /// Reads what others have changed, once for all who ask for it before it begins.
    ///
    /// Does nothing while the storage is known to be away, and returns after a second if that does not answer.
    package func lookUp() async {
        guard !state.withLock({ $0.failing.contains(.reading) }) else { return }
        await look.run(atMost: .seconds(1)) { [self] in
            // What fails is in the log, and known by the next look.
            do { try await refresh() } catch { _ = error }
        }
    }
}
