/// An e-mail address of visible ASCII characters, which header fields and SMTP commands can contain as it is.
package struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// The part after the at sign.
    package let domain: String

    /// Parses an address such as `ops@example.com`; nil for quoted names, domain literals and characters beyond ASCII.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, let domain = parts.last, text.utf8.count <= 254 else {
            return nil
        }
        guard (1...64).contains(name.utf8.count), Self.isDotted(name, in: Self.nameCharacters),
            Self.isDotted(domain, in: Self.domainCharacters),
            domain.split(separator: ".").allSatisfy({ $0.utf8.count <= 63 && !$0.hasPrefix("-") && !$0.hasSuffix("-") })
        else { return nil }
        description = text
        self.domain = String(domain)
    }

    private static let domainCharacters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
    /// The characters of an atom in RFC 5322.
    private static let nameCharacters = domainCharacters.union("!#$%&'*+/=?^_`{|}~".utf8)

    private static func isDotted(_ text: Substring, in characters: Set<UInt8>) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy(characters.contains)
        }
    }
}
