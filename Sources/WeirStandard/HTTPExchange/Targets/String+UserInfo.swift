extension String {
    /// The text without the user name and password that each of its URLs may have before an `@`.
    ///
    /// For texts from others, such as the targets of their redirects, before they are shown or recorded. Browsers take any
    /// number of slashes and backslashes after the scheme, so what stands between a colon or two slashes and an `@` counts,
    /// and `%40` as well, which some read as one. That can hide what is none, such as the name in `mailto:ana@a.example`.
    ///
    /// It works on scalars: a combining mark after an `@` makes it another character, but a URL parser still sees an `@`.
    var withoutUserInfo: String {
        var result = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let start = rest.firstIndex(where: { ":/\\".unicodeScalars.contains($0) }) {
            // Browsers leave tabs out.
            let lead = rest[start...].prefix { ":/\\\t".unicodeScalars.contains($0) }
            result += rest[..<lead.endIndex]
            rest = rest[lead.endIndex...]
            guard lead.count > 1 || lead.first == ":" else { continue }
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            if let end = Self.endOfUserInfo(authority) {
                result += "…@".unicodeScalars
                rest = rest[end...]
            } else {
                result += authority
                rest = rest[authority.endIndex...]
            }
        }
        result += rest
        return String(result)
    }

    /// Where what lets somebody in ends, behind the last `@`, however that is spelled; nil if there is none.
    private static func endOfUserInfo(_ authority: Substring.UnicodeScalarView) -> Substring.Index? {
        let ends = ["@", "%40"].compactMap { authority.ranges(of: $0.unicodeScalars).last?.upperBound }
        return ends.max()
    }
}
