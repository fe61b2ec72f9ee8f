/// Text from anywhere, made fit for markup before Mustache escapes it.
///
/// Two things Mustache leaves to us: characters that XML does not allow become U+FFFD; and since swift-mustache escapes
/// whole grapheme clusters, a `"` with a combining mark behind it would pass unescaped. A zero-width space parts the two.
struct CleanText {
    let text: String

    init(_ dirty: String) {
        text = Self.isPlain(dirty) ? dirty : Self.cleaned(dirty)
    }

    /// The text as character data or as the value of an attribute.
    var markup: String { Self.escaped(text) }

    /// Escaped scalar by scalar: a mark that combines with a `<` must not hide it.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }
    }

    private static func cleaned(_ dirty: String) -> String {
        var result = String.UnicodeScalarView()
        for character in dirty {
            let scalars = character.unicodeScalars
            let isSpecial = scalars.count > 1 && scalars.contains(where: Self.isMarkup)
            for scalar in scalars {
                let parted = isSpecial && !result.isEmpty
                if parted { result.append("\u{200B}") }
                result.append(Self.isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
            if isSpecial { result.append("\u{200B}") }
        }
        return String(result)
    }

    private static func isMarkup(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "<", ">", "&", "\"", "'": true
        default: false
        }
    }

    /// XML 1.0, 2.2: `Char`, without the C1 controls, which it discourages.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: true
        case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFDCF, 0xFDF0...0xFFFD: true
        case 0x10000...: scalar.value & 0xFFFE != 0xFFFE
        default: false
        }
    }
}
