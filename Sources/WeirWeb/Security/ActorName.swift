/// The name of a caller, as runs, stores and the log record it: one line of 1 to 100 visible characters.
///
/// Invisible characters are not accepted: control and format characters could end a line of the log, reverse its text,
/// or make two names look the same.
struct ActorName: Hashable, Sendable {
    /// How many characters a name may have.
    static let limit = 100
    /// How many bytes a name may have, since a character can be made of any number of them.
    static let byteLimit = 400

    let text: String

    /// Accepts a name that needs no correction; nil for any other.
    init?(_ text: String) {
        guard let clean = Self.clean(text), clean.utf8.elementsEqual(text.utf8) else { return nil }
        self.text = text
    }

    /// Accepts what somebody typed: without what is invisible, with single spaces, cut to the limit; nil if nothing is
    /// left.
    init?(typed text: String) {
        guard let clean = Self.clean(text) else { return nil }
        self.text = clean
    }

    private static func clean(_ text: String) -> String? {
        let scalars = text.unicodeScalars.filter { isVisible($0) || $0.properties.isWhitespace }
        let visible = String(String.UnicodeScalarView(scalars))
        var name = visible.split { $0.isWhitespace }.joined(separator: " ")
        if name.count > limit { name = String(name.prefix(limit)) }
        while name.utf8.count > byteLimit { name.removeLast() }
        while name.last == " " { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        // What a decoder puts in place of bytes that are not UTF-8: two names must not become one by it.
        default: scalar != "\u{FFFD}"
        }
    }
}
