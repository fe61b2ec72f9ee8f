/// The language pages are written in, with its way of writing numbers: a BCP 47 tag such as `en` or `pt-BR`.
///
/// Which locales there are is told by the files in `Templates/strings`; a folder of one's own can add more.
public struct PageLocale: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The tag in its usual spelling, such as `pt-BR`.
    public let tag: String

    /// English, which every string falls back to.
    public static let english = PageLocale(canonical: "en")
    /// Brazilian Portuguese.
    public static let brazilianPortuguese = PageLocale(canonical: "pt-BR")

    private init(canonical tag: String) { self.tag = tag }

    /// Reads a tag of a language and, if wanted, a region, in any case; nil for anything else.
    public init?(_ tag: some StringProtocol) {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in part.utf8.allSatisfy { $0 < 128 } && part.allSatisfy(\.isLetter) }
        guard isPlain, let language = parts.first, (2...3).contains(language.count), parts.count <= 2 else {
            return nil
        }
        guard parts.count == 2 else {
            self.init(canonical: language.lowercased())
            return
        }
        guard parts[1].count == 2 else { return nil }
        self.init(canonical: language.lowercased() + "-" + parts[1].uppercased())
    }

    /// The tag.
    public var description: String { tag }

    /// The language alone, such as `pt`.
    public var language: String { String(tag.prefix { $0 != "-" }) }

    /// In the order of their tags.
    public static func < (left: PageLocale, right: PageLocale) -> Bool { left.tag < right.tag }
}
