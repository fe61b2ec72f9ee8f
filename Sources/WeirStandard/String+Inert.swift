extension String {
    /// Makes an untrusted text safe to show: bounded, without terminal controls and bidirectional overrides.
    ///
    /// Keeps line breaks and tabs. Truncation is marked by an ellipsis.
    package func inert(limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars where !scalar.steers {
            guard count < limit else { return String(kept) + "…" }
            kept.append(scalar)
            count += 1
        }
        return String(kept)
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character other than a line break or tab, or a bidirectional control.
    fileprivate var steers: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

extension String {
    /// The text without the credentials that its URLs may contain before an `@`.
    ///
    /// For untrusted texts, such as redirect targets, before they are shown or recorded. Browsers accept any number of slashes
    /// and backslashes after the scheme, so everything between a colon or two slashes and an `@` counts, and `%40` as well,
    /// which some clients decode. This can also hide harmless text, such as the name in `mailto:ana@a.example`.
    ///
    /// Works on scalars: `@` with a combining mark is another character, but still an `@` to a URL parser.
    var withoutUserInfo: String {
        var result = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let start = rest.firstIndex(where: { ":/\\".unicodeScalars.contains($0) }) {
            // Browsers ignore tabs.
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

    /// The end of the credentials, after the last `@` in any encoding; nil if there are none.
    private static func endOfUserInfo(_ authority: Substring.UnicodeScalarView) -> Substring.Index? {
        let ends = ["@", "%40"].compactMap { authority.ranges(of: $0.unicodeScalars).last?.upperBound }
        return ends.max()
    }
}
