import Crypto
import Foundation
import Synchronization
import WeirStates

/// A browser in which a local user has signed in, as its signed cookie states.
///
/// The signature covers the time of the last password change, so that a new password makes all browsers unknown.
struct KnownBrowser: Sendable {
    let id: String
    let text: String

    /// Makes the cookie of a browser.
    init(of user: UserRecord, id: String, key: String) {
        self.id = id
        let code = HMAC<SHA256>.authenticationCode(for: Self.signed(user, id), using: Self.key(key))
        text = "\(id).\(Hex(code).text)"
    }

    /// Parses the cookie of a browser; nil unless the server signed it for this user.
    init?(_ text: String, of user: UserRecord, key: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !key.isEmpty, parts.count == 2, let id = parts.first,
            let code = parts.last.flatMap({ Hex(String($0)) })?.bytes,
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Self.signed(user, String(id)), using: Self.key(key))
        else { return nil }
        (self.id, self.text) = (String(id), text)
    }

    private static func key(_ text: String) -> SymmetricKey { SymmetricKey(data: Data(text.utf8)) }

    private static func signed(_ user: UserRecord, _ id: String) -> Data {
        Data("browser\n\(user.name)\n\(user.changedAt)\n\(id)".utf8)
    }
}

extension AccessDirectory {
    /// Makes the cookie that marks the browser of a user who has just signed in; nil for people who are not local users.
    package func browserMark(of name: String) -> String? {
        let id = SecretText.shortID(random(16))
        return state.withLock { state in
            guard let user = state.users[name], !state.browserKey.isEmpty else { return nil }
            return KnownBrowser(of: user, id: id, key: state.browserKey).text
        }
    }
}
