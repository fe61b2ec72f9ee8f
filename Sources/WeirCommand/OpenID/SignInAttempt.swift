import Crypto
import Foundation
import WeirStates

/// A pending sign-in, which the browser keeps, sealed, until it returns, so that unfinished ones take no memory here.
struct SignInAttempt: Codable, Hashable, Sendable {
    /// The lifetime of a pending sign-in, in milliseconds.
    static let maximumAge: Int64 = 600_000
    /// The maximum length of the return path in bytes; a longer one does not fit into a cookie.
    private static let maximumBack = 1_500

    /// The value that binds the authorization response to this browser.
    let state: String
    /// The value that binds the ID token to this sign-in.
    let nonce: String
    /// The PKCE code verifier (RFC 7636).
    let verifier: String
    /// The path to return to after the sign-in.
    let back: String
    let begunAt: Int64

    init(back: String, now: Int64, random: (Int) -> [UInt8]) {
        state = Base64URL.encode(random(32))
        nonce = Base64URL.encode(random(32))
        verifier = Base64URL.encode(random(32))
        self.back = back.utf8.count <= Self.maximumBack ? back : ""
        begunAt = now
    }

    /// The PKCE code challenge: the SHA-256 of the verifier.
    var challenge: String { Base64URL.encode(SHA256.hash(data: Data(verifier.utf8))) }

    func isOver(now: Int64) -> Bool { !(0...Self.maximumAge).contains(now - begunAt) }
}

/// Encrypts and authenticates pending sign-ins, so that a browser can neither read nor change them.
struct AttemptSeal: Sendable {
    private let key: SymmetricKey

    /// Derives the key from a text that several servers can share, so that a browser can return to any of them.
    ///
    /// Without a text the key is random, and pending sign-ins do not survive the process.
    init(_ text: String?) {
        key = text.map { SymmetricKey(data: SHA256.hash(data: Data($0.utf8))) } ?? SymmetricKey(size: .bits256)
    }

    func seal(_ attempt: SignInAttempt) throws -> String {
        // With a 96-bit nonce, a sealed box always has a combined representation.
        let box = try AES.GCM.seal(JSONEncoder().encode(attempt), using: key)
        return Base64URL.encode(box.combined ?? Data())
    }

    /// Opens a sealed attempt, or returns nil if this key did not seal it.
    func open(_ text: String) -> SignInAttempt? {
        guard let data = Base64URL.decode(text), let box = try? AES.GCM.SealedBox(combined: data),
            let json = try? AES.GCM.open(box, using: key)
        else { return nil }
        return try? SignInAttempt(json: json)
    }
}

/// The attempts that have returned to this server; each is valid once.
///
/// If one returns to several servers, the provider still accepts its code only once.
struct UsedAttempts: Sendable {
    /// The maximum number of attempts to keep, at which all are removed, so that a flood of sign-ins cannot block others.
    static let limit = 100_000
    private var times: [String: Int64] = [:]

    /// Marks an attempt as used; returns false if it is used already.
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

/// Limits the sign-ins that wait for the provider, in total and per address.
///
/// Pure. A browser that returns with a forged code takes a place until the provider rejects the code.
struct SignInPlaces: Sendable {
    static let limit = 64
    static let limitPerAddress = 16

    private var counts: [String: Int] = [:]
    private var count = 0

    /// Takes a place; returns false if the total or the address is at its limit.
    mutating func take(for address: String) -> Bool {
        guard count < Self.limit, counts[address, default: 0] < Self.limitPerAddress else { return false }
        count += 1
        counts[address, default: 0] += 1
        return true
    }

    mutating func giveBack(of address: String) {
        count -= 1
        counts[address] = counts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
