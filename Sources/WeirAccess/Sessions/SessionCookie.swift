/// The session cookie.
///
/// Over HTTPS its name is `__Host-weir`, which neither other hosts nor plain connections can set. On plain loopback the name
/// contains the server's instance, because cookies are shared across ports.
package struct SessionCookie: Hashable, Sendable {
    let name: String
    let isSecure: Bool

    init(isSecure: Bool, instance: String) {
        self.isSecure = isSecure
        name = isSecure ? "__Host-weir" : "weir-\(instance)"
    }

    /// The `Set-Cookie` value that keeps a secret during a sign-in at an identity provider.
    package func passing(_ secret: String) -> String {
        field("-provider", secret, seconds: 600)
    }

    package var passingOver: String { field("-provider", "", seconds: 0) }

    /// The secret of the provider cookie, or nil if it is absent or ambiguous.
    package func passed(in fields: [String]) -> String? { value(of: "\(name)-provider", in: fields) }

    /// The `Set-Cookie` value that keeps the state of a sign-in between the password and the code.
    package func stepField(_ step: String) -> String {
        field("-step", step, seconds: AccessDirectory.stepLifetime / 1_000)
    }

    package var stepClearing: String { field("-step", "", seconds: 0) }

    /// The state of a sign-in, or nil if it is absent or ambiguous.
    package func step(in fields: [String]) -> String? { value(of: "\(name)-step", in: fields) }

    /// The `Set-Cookie` value that marks a browser in which a user has signed in, for half a year.
    package func browserField(_ mark: String) -> String {
        field("-browser", mark, seconds: 15_552_000)
    }

    /// The mark of a browser, or nil if it is absent or ambiguous.
    package func browser(in fields: [String]) -> String? { value(of: "\(name)-browser", in: fields) }

    /// The session secret, or nil if it is absent, ambiguous or malformed.
    package func secret(in fields: [String]) -> SecretText? {
        value(of: name, in: fields).flatMap { SecretText($0, kind: .session) }
    }

    /// The link secret, or nil if it is absent, ambiguous or malformed.
    func link(in fields: [String]) -> SecretText? {
        value(of: "\(name)-link", in: fields).flatMap { SecretText($0, kind: .link) }
    }

    package func linkField(_ secret: SecretText) -> String { field("-link", secret.text) }

    package var linkClearing: String { field("-link", "", seconds: 0) }

    func session(in fields: [String]) -> String? { value(of: name, in: fields) }

    private func value(of name: String, in fields: [String]) -> String? {
        var found: String?
        for pair in fields.lazy.flatMap({ $0.utf8.split(separator: UInt8(ascii: ";")) }) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard let end = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<end].elementsEqual(name.utf8) else {
                continue
            }
            // A duplicate was set by another party; the two are indistinguishable.
            guard found == nil else { return nil }
            found = String(Substring(pair[end...].dropFirst()))
        }
        return found
    }

    /// The `Set-Cookie` value that keeps a session secret until the browser closes.
    package func field(_ secret: SecretText) -> String { field("", secret.text) }

    package var clearing: String { field("", "", seconds: 0) }

    /// A `Set-Cookie` value; without `seconds`, the browser keeps it until it closes.
    private func field(_ suffix: String, _ value: String, seconds: Int64? = nil) -> String {
        "\(name)\(suffix)=\(value); Path=/" + (seconds.map { "; Max-Age=\($0)" } ?? "") + "; HttpOnly; SameSite=Lax"
            + (isSecure ? "; Secure" : "")
    }
}
