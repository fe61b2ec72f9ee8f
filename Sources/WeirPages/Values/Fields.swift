import Mustache
import WeirStates

/// The values that a template can name, each safe for markup.
///
/// Texts are cleaned when they are set; setting nil records that the value can exist but is absent.
struct Fields: MustacheParent, ExpressibleByDictionaryLiteral {
    private(set) var members: [String: Any] = [:]
    /// The names of absent values that can exist, which the check accepts.
    private(set) var absent: Set<String> = []

    init() {}

    init(dictionaryLiteral elements: (String, Any?)...) {
        for (name, value) in elements { self[name] = value }
    }

    subscript(name: String) -> Any? {
        get { members[name] }
        set {
            members[name] = (newValue as? String).map { CleanText($0).text } ?? newValue
            if newValue == nil { absent.insert(name) }
        }
    }

    func child(named name: String) -> Any? { members[name] }

    /// The members of both; those of `others` take precedence.
    func merging(_ others: Fields) -> Fields {
        var all = self
        all.members.merge(others.members) { $1 }
        all.absent.formUnion(others.absent)
        return all
    }
}

/// Text made safe for markup before Mustache escapes it.
///
/// Characters that XML does not allow become U+FFFD. Because swift-mustache escapes whole grapheme clusters, a `"` followed
/// by a combining mark would not be escaped; a zero-width space separates the two.
struct CleanText {
    let text: String

    init(_ dirty: String) {
        text = Self.isPlain(dirty) ? dirty : Self.cleaned(dirty)
    }

    var markup: String { Self.escaped(text) }

    /// Escapes each scalar: a combining mark must not hide a `<`.
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

    /// Implements `Char` of XML 1.0, section 2.2, without the discouraged C1 controls.
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: true
        case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFDCF, 0xFDF0...0xFFFD: true
        case 0x10000...: scalar.value & 0xFFFE != 0xFFFE
        default: false
        }
    }
}

/// HTML rendered by a template, which `{{{…}}}` inserts unescaped.
struct TrustedHTML: MustacheCustomRenderable {
    let html: String

    init(_ html: String) { self.html = html }

    init(_ parts: some Sequence<TrustedHTML>) { html = parts.map(\.html).joined() }

    /// The ids in the HTML, found in one pass over its bytes, because a state with many parts is long.
    var ids: Set<String> {
        var ids: Set<String> = []
        var rest = html.utf8[...]
        let opening = " id=\"".utf8
        while let space = rest.firstIndex(of: UInt8(ascii: " ")) {
            rest = rest[space...]
            guard rest.starts(with: opening) else {
                rest = rest.dropFirst()
                continue
            }
            let id = rest.dropFirst(opening.count).prefix { $0 != UInt8(ascii: "\"") }
            ids.insert(String(decoding: id, as: UTF8.self))
            rest = rest[id.endIndex...]
        }
        return ids
    }

    var renderText: String { html }
    var isNull: Bool { false }
}

/// Text encoded for a URL (RFC 3986).
struct URLText {
    let text: String

    init(value: String) { text = PercentEncoding.encode(value) }

    /// Encodes a requested path and query as a URL of this host: it begins with one slash, and encoded bytes are kept.
    init(request: String) {
        // By scalars: a slash with a combining mark is a different character, but still a slash to a browser.
        let path = request.unicodeScalars.drop { $0 == "/" || $0 == "\\" }
        text = "/" + PercentEncoding.encode(String(path), keeping: "/?=&%+,;:@!$*()")
    }

    static func query(_ name: String, _ value: String) -> String { "\(name)=\(URLText(value: value).text)" }
}
