/// The language of pages, with its number format: a BCP 47 tag such as `en` or `pt-BR`.
///
/// The files in `Templates/strings` determine the available locales; a folder of your own can add more.
package struct PageLocale: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The tag in its usual spelling, such as `pt-BR`.
    package let tag: String

    /// English, which every string falls back to.
    package static let english = PageLocale(canonical: "en")
    /// Brazilian Portuguese.
    package static let brazilianPortuguese = PageLocale(canonical: "pt-BR")

    private init(canonical tag: String) { self.tag = tag }

    /// Reads a tag of a language and, if wanted, a region, in any case; nil for anything else.
    package init?(_ tag: some StringProtocol) {
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
    package var description: String { tag }

    /// The language alone, such as `pt`.
    package var language: String { String(tag.prefix { $0 != "-" }) }

    /// In the order of their tags.
    package static func < (left: PageLocale, right: PageLocale) -> Bool { left.tag < right.tag }
}
