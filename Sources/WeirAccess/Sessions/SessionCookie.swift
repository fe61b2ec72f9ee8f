/// The cookie in which a browser keeps its session.
///
/// Where browsers come by https it is `__Host-weir`, which no other host and no plain connection can set. On plain loopback
/// its name has the server's own mark, as cookies do not tell one port from another.
package struct SessionCookie: Hashable, Sendable {
    /// Its name.
    package let name: String
    let isSecure: Bool

    init(isSecure: Bool, instance: String) {
        self.isSecure = isSecure
        name = isSecure ? "__Host-weir" : "weir-\(instance)"
    }

    /// The `Set-Cookie` field of a secret that a browser keeps while it is at an identity provider.
    package func passing(_ secret: String) -> String {
        "\(name)-provider=\(secret); Path=/; Max-Age=600; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The `Set-Cookie` field that removes that.
    package var passingOver: String {
        "\(name)-provider=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The secret that a browser kept while it was at an identity provider; nil for none or several.
    package func passed(in fields: [String]) -> String? { value(of: "\(name)-provider", in: fields) }

    /// The secret in the request's cookies; nil when there is none, several, or one that cannot be a session's.
    package func secret(in fields: [String]) -> SecretText? {
        value(of: name, in: fields).flatMap { SecretText($0, kind: .session) }
    }

    /// The secret of the link to a run that this browser opened; nil for none, several, or one that cannot be a link's.
    package func link(in fields: [String]) -> SecretText? {
        value(of: "\(name)-link", in: fields).flatMap { SecretText($0, kind: .link) }
    }

    /// The `Set-Cookie` field that keeps a link's secret.
    package func linkField(_ secret: SecretText) -> String {
        "\(name)-link=\(secret.text); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The `Set-Cookie` field that removes it.
    package var linkClearing: String {
        "\(name)-link=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// What stands in the cookie of the session, whatever it is.
    func session(in fields: [String]) -> String? { value(of: name, in: fields) }

    private func value(of name: String, in fields: [String]) -> String? {
        var found: String?
        for pair in fields.lazy.flatMap({ $0.utf8.split(separator: UInt8(ascii: ";")) }) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard let end = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<end].elementsEqual(name.utf8) else {
                continue
            }
            // A second one was put there by somebody else; nobody knows which is which.
            guard found == nil else { return nil }
            found = String(Substring(pair[end...].dropFirst()))
        }
        return found
    }

    /// The `Set-Cookie` field that keeps a secret.
    ///
    /// It ends with the browser, or before on the server.
    package func field(_ secret: SecretText) -> String {
        "\(name)=\(secret.text); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The `Set-Cookie` field that removes the cookie.
    package var clearing: String {
        "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}
