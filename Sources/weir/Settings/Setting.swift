/// One thing that can be set: its key, what it accepts, what it is when nobody sets it.
///
/// The table `Setting.all` is the only place where settings are listed: the file is checked against it, the
/// environment is read by it, `weir settings` prints it.
struct Setting: Sendable {
    /// What a setting accepts, and how its text becomes a value.
    enum Kind: Sendable {
        /// Any text.
        case text
        /// One of these words.
        case word([String])
        /// A whole number within the bounds.
        case integer(ClosedRange<Int>)
        /// A length of time in seconds, fractions allowed, within the bounds.
        case seconds(ClosedRange<Double>)
        /// An absolute http or https URL.
        case url
        /// A file or folder.
        case path
        /// Several words, as a list in the file and separated by commas elsewhere.
        case list
    }

    /// The key as in the file, levels separated by dots: `iss-position.url`.
    let key: String
    /// What it accepts.
    let kind: Kind
    /// The text of its value when nobody sets it; nil where there is none.
    let standard: String?
    /// What it is for, in a sentence.
    let help: String

    /// The name of its environment variable: `WEIR_ISS_POSITION_URL`.
    var variable: String {
        "WEIR_" + key.uppercased().replacing("-", with: "_").replacing(".", with: "_")
    }

    /// What is wrong with a text as a value of this setting; nil when nothing is.
    func mistake(in text: String) -> String? {
        switch kind {
        case .text, .path, .list:
            text.isEmpty ? "is empty; leave it out to have the default" : nil
        case .word(let words):
            words.contains(text) ? nil : "is \"\(text)\"; it must be one of \(words.joined(separator: ", "))"
        case .integer(let bounds):
            Int(text).map(bounds.contains) == true
                ? nil : "is \"\(text)\"; it must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .seconds(let bounds):
            Double(text).map(bounds.contains) == true
                ? nil : "is \"\(text)\"; it must be seconds from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .url:
            Self.isWebURL(text) ? nil : "is \"\(text)\"; it must be a URL that begins with http:// or https://"
        }
    }

    private static func isWebURL(_ text: String) -> Bool {
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            let host = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
            return !host.isEmpty && !text.contains { $0.isWhitespace }
        }
        return false
    }
}
