import Crypto
import Foundation
import WeirStates

/// A sign-in that was begun: what the browser keeps, sealed, until it comes back.
///
/// Nothing of it is kept here, so that whoever begins sign-ins without end fills no memory.
struct SignInAttempt: Codable, Hashable, Sendable {
    /// How long a sign-in may take, in milliseconds.
    static let maximumAge: Int64 = 600_000
    /// A longer way back would not fit into a cookie.
    private static let maximumBack = 1_500

    /// What comes back in the address: holds the answer to this browser.
    let state: String
    /// What comes back in the ID token: holds the token to this sign-in.
    let nonce: String
    /// What only whoever began can show at the token endpoint (RFC 7636).
    let verifier: String
    /// Where the browser wants to go.
    let back: String
    let begunAt: Int64

    /// Begins one.
    init(back: String, now: Int64, random: (Int) -> [UInt8]) {
        state = Base64URL.encode(random(32))
        nonce = Base64URL.encode(random(32))
        verifier = Base64URL.encode(random(32))
        self.back = back.utf8.count <= Self.maximumBack ? back : ""
        begunAt = now
    }

    /// The verifier's SHA-256: what the provider is shown first.
    var challenge: String { Base64URL.encode(SHA256.hash(data: Data(verifier.utf8))) }

    func isOver(now: Int64) -> Bool { !(0...Self.maximumAge).contains(now - begunAt) }
}

/// Seals attempts, so that a browser can neither read nor change them.
struct AttemptSeal: Sendable {
    private let key: SymmetricKey

    /// Makes a seal of a key's text, so that a browser can come back to another server that has the same one.
    ///
    /// Without it the key is this seal's own: sign-ins that are under way do not outlive the process.
    init(_ text: String?) {
        key = text.map { SymmetricKey(data: SHA256.hash(data: Data($0.utf8))) } ?? SymmetricKey(size: .bits256)
    }

    func seal(_ attempt: SignInAttempt) throws -> String {
        // A nonce of 96 bits leaves the sealed box with a combined form, always.
        let box = try AES.GCM.seal(JSONEncoder().encode(attempt), using: key)
        return Base64URL.encode(box.combined ?? Data())
    }

    /// The attempt; nil for anything that this seal did not make.
    func open(_ text: String) -> SignInAttempt? {
        guard let data = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: data),
            let json = try? AES.GCM.open(box, using: key)
        else { return nil }
        return try? SignInAttempt(json: json)
    }
}

/// Which attempts have come back here: each is good once.
///
/// Of one that comes back to several servers, the provider accepts the code once.
struct UsedAttempts: Sendable {
    /// How many are kept, before all are let go of: nobody is kept from signing in by others who do so without end, and the
    /// provider accepts each code once as well.
    static let limit = 100_000
    private var times: [String: Int64] = [:]

    /// Uses an attempt up; false if it was before.
    mutating func use(_ attempt: SignInAttempt, now: Int64) -> Bool {
        guard times[attempt.state] == nil else { return false }
        if times.count >= Self.limit || times.count.isMultiple(of: 1_000) {
            times = times.filter { (0...SignInAttempt.maximumAge).contains(now - $0.value) }
        }
        if times.count >= Self.limit { times = [:] }
        times[attempt.state] = attempt.begunAt
        return true
    }
}
