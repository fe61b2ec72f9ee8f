/// The name of a user of Weir's own: 1 to 64 lower-case letters of English, digits, dots, hyphens, underscores or `@`.
///
/// Few characters, so that no two names look the same.
package struct UserName: Hashable, Sendable {
    package let text: String

    /// Accepts a name as somebody types it, capital letters too; nil for what is none.
    package init?(_ typed: String) {
        let text = typed.lowercased()
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.first.map({ $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }) == true
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}
