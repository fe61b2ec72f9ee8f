extension String {
    /// The text without the user name and password between `//` and `@` in each of its URLs.
    ///
    /// For texts from others, such as the targets of their redirects, before they are shown or recorded. It works on
    /// scalars: a combining mark after an `@` makes it another character, but a URL parser still sees an `@`.
    var withoutUserInfo: String {
        var result = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let slashes = rest.firstRange(of: "//".unicodeScalars) {
            result += rest[..<slashes.upperBound]
            rest = rest[slashes.upperBound...]
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            guard let at = authority.lastIndex(of: "@") else { continue }
            result += "…@".unicodeScalars
            rest = rest[rest.index(after: at)...]
        }
        result += rest
        return String(result)
    }
}
