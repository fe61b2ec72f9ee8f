import WeirStates

/// The second factor of a local user: a secret shared with an authenticator app, and the hashes of recovery codes.
///
/// A record of its own, because earlier versions drop unknown members when they write the record of an account. The server
/// computes codes from the secret, so it is stored as it is.
package struct SecondFactorRecord: Hashable, Sendable, Codable {
    static let secretBytes = 20
    static let recoveryCodes = 10

    var name: String
    /// The `createdAt` of the user; the record has no effect for a later user with this name.
    var userCreatedAt: Int64
    /// The time of the set-up, in milliseconds since 1970.
    package var since: Int64
    /// The shared secret in hexadecimal digits.
    var secret: String
    /// The newest step of a used code; codes of this step and of earlier ones are refused.
    var usedStep: Int64
    /// The hashes of the unused recovery codes.
    package var recovery: [String]

    /// A record for one that cannot be read, which accepts no code.
    static func unreadable(of name: String) -> SecondFactorRecord {
        SecondFactorRecord(name: name, userCreatedAt: .min, since: 0, secret: "", usedStep: .max, recovery: [])
    }

    var isUnreadable: Bool { userCreatedAt == .min }

    /// The record after the use of a code or recovery code; nil if the code is wrong or was used.
    func accepting(_ typed: String, now: Int64) -> SecondFactorRecord? {
        let code = Self.normalized(typed)
        guard !isUnreadable, let secret = Hex(secret)?.bytes else { return nil }
        var used = self
        if code.utf8.count == TimeCode.digits {
            guard let step = TimeCode.step(of: code, secret, after: usedStep, now: now) else { return nil }
            used.usedStep = step
        } else {
            guard let index = recovery.firstIndex(of: SecretText.hash(of: code)) else { return nil }
            used.recovery.remove(at: index)
        }
        return used
    }

    /// The kind of code that a sign-in used, for the audit.
    func words(after before: SecondFactorRecord?) -> String {
        recovery == before?.recovery ? "with a code" : "with a recovery code; \(recovery.count) left"
    }

    /// Replaces the recovery codes, and returns them in groups of four.
    mutating func renewRecovery(_ random: (Int) -> [UInt8]) -> [String] {
        let codes = (0..<Self.recoveryCodes).map { _ in SecretText.shortID(random(16)) }
        recovery = codes.map { SecretText.hash(of: $0) }
        return codes.map { Self.grouped($0, by: "-") }
    }

    static func grouped(_ text: String, by separator: Character) -> String {
        String(
            text.enumerated().flatMap { index, letter in
                index > 0 && index.isMultiple(of: 4) ? [separator, letter] : [letter]
            })
    }

    /// A typed code without spaces and hyphens, in lower case.
    static func normalized(_ typed: String) -> String {
        String(typed.prefix(100).lowercased().filter { !$0.isWhitespace && $0 != "-" })
    }
}
